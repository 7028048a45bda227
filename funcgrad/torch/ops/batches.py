"""What vmap does with a batch where PyTorch computes an operation by others: reductions to one element are of rows."""

from __future__ import annotations

import math

from funcgrad.torch.ops.extrema import MAX_ALL, MIN_ALL
from funcgrad.torch.ops.reductions import PROD_ALL
from funcgrad.torch.tensor import Tensor


def _rows(batch: Tensor) -> Tensor:
    return batch if batch.dim() == 2 else batch.reshape(batch.shape[0], math.prod(batch.shape[1:]))


PROD_ALL.examples = lambda batch: _rows(batch).prod(1)
MAX_ALL.examples = lambda batch: _rows(batch).max(1)[0]
MIN_ALL.examples = lambda batch: _rows(batch).min(1)[0]
