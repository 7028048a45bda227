"""What vmap does with a batch where PyTorch computes an operation by others.

Reductions to one element are of rows, and views of any strides are views of the memory of all examples.
"""

from __future__ import annotations

import math
from typing import Any

from funcgrad.core.array import Array
from funcgrad.torch.base.storage import pointer
from funcgrad.torch.ops.extrema import MAX_ALL, MIN_ALL
from funcgrad.torch.ops.reductions import PROD_ALL
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.views import AS_STRIDED
from funcgrad.torch.texts import memory as texts
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
    example = value[(0,) * (vmaps + 1)]
    first = (pointer(value) - (pointer(value) if value.base is None else pointer(value.base))) // value.itemsize
    last = first + sum([(n - 1) * s for n, s in zip(example.shape, example.strides, strict=True)]) // value.itemsize
    reach = offset + sum([(n - 1) * s for n, s in zip(size, stride, strict=True)])
    if 0 not in size and not (example.size and first <= offset and reach <= last):
        ranges = (
            texts.AS_STRIDED_RANGES.format(low=offset, high=reach + 1, first=first, last=last + 1)
            if example.size
            else texts.AS_STRIDED_NO_STORAGE
        )
        raise RuntimeError(
            texts.AS_STRIDED_IN_VMAP.format(size=list(size), stride=list(stride), offset=offset, ranges=ranges)
        )
    return batch.as_strided((batch.shape[0], *size), (apart, *stride), offset)


AS_STRIDED.examples = _strided
PROD_ALL.examples = lambda batch, **_: _rows(batch).prod(1)
MAX_ALL.examples = lambda batch, **_: _rows(batch).max(1)[0]
MIN_ALL.examples = lambda batch, **_: _rows(batch).min(1)[0]
