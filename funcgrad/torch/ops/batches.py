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
            f"`result` can access some memory in range [{offset}, {reach + 1}], but `tensor` can only access some "
            f"memory in range [{first}, {last + 1}]."
            if example.size
            else "`tensor` has no storage but the passed-in (size, stride, storage_offset) imply a result with some "
            "storage."
        )
        raise RuntimeError(
            f"result = tensor.as_strided({list(size)}, {list(stride)}, {offset}) can access memory outside of "
            f"`tensor`. {ranges} This is not supported inside of vmap, please try to rewrite the `as_strided` call as "
            "a sequence of PyTorch view operations"
        )
    return batch.as_strided((batch.shape[0], *size), (apart, *stride), offset)


AS_STRIDED.examples = _strided
PROD_ALL.examples = lambda batch, **_: _rows(batch).prod(1)
MAX_ALL.examples = lambda batch, **_: _rows(batch).max(1)[0]
MIN_ALL.examples = lambda batch, **_: _rows(batch).min(1)[0]
