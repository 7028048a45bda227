"""What vmap does with a batch where PyTorch computes an operation by others.

Reductions to one element are of rows, and views of any strides are views of the memory of all examples.
"""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.array import Array
from funcgrad.torch.ops.extrema import MAX_ALL, MIN_ALL
from funcgrad.torch.ops.reductions import PROD_ALL
from funcgrad.torch.tensor import Tensor
from funcgrad.torch.views import AS_STRIDED
from funcgrad.transforms.vmap import BatchTracer


def _rows(batch: Tensor) -> Tensor:
    return batch if batch.dim() == 2 else batch.reshape(batch.shape[0], math.prod(batch.shape[1:]))


def _strided(batch: Tensor, *, size: tuple, stride: tuple, offset: int, of: Any) -> Tensor:
    """The views of all examples: they are as far apart in memory as the examples."""
    value, vmaps = batch._value, 0
    while isinstance(value, Array):
        vmaps += isinstance(value, BatchTracer)
        value = value._value
    apart = value.strides[vmaps] // value.itemsize
    return batch.as_strided((batch.shape[0], *size), (apart, *stride), offset)


AS_STRIDED.examples = _strided
PROD_ALL.examples = lambda batch, **_: _rows(batch).prod(1)
MAX_ALL.examples = lambda batch, **_: _rows(batch).max(1)[0]
MIN_ALL.examples = lambda batch, **_: _rows(batch).min(1)[0]
