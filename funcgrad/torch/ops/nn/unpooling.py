"""What undoes max pooling: elements put to the places that they were picked from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops.index import scatter_along_axis
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.nn.memory_formats import in_channels_last, laid_out
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import pooling as texts


def _unpooled(x: Any, indices: Any, *, lengths: tuple[int, ...]) -> Any:
    lead = x.shape[: x.ndim - len(lengths)]
    flat = x.reshape(*lead, math.prod(x.shape[len(lead) :]))
    places = indices.reshape(flat.shape)
    axis = len(lead)
    found = scatter_along_axis(flat, places, shape=(*lead, math.prod(lengths)), axis=axis, unique=True)
    return found.reshape(*lead, *lengths)


UNPOOL = {
    rank: Operation(_unpooled, f"MaxUnpool{rank}DBackward0", operands=("self", "indices"), edges=1, saves=(1,))
    for rank in (2, 3)
}


def _unpool(rank: int, input: Tensor, indices: Tensor, output_size: Any) -> Tensor:
    value, places = raw(input), raw(indices)
    lengths = tuple(output_size) if type(output_size) is not int else (output_size,) * rank
    if places.dtype != np.int64:
        but = f" but got: {of_numpy(places.dtype).title}" if rank == 2 else ""
        raise RuntimeError(f"elements in indices should be type int64{but}")
    if value.ndim not in (rank + 1, rank + 2):
        few, many = rank + 1, rank + 2
        raise RuntimeError(texts.UNPOOL_INPUT.format(rank=rank, few=few, many=many, n=value.ndim))
    if places.shape != value.shape:
        raise RuntimeError(texts.UNPOOL_INDICES.format(shape=list(value.shape), found=list(places.shape)))
    if isinstance(places, ndarray):
        wrong = places[(places < 0) | (places >= math.prod(lengths))]
        if wrong.size:
            sizes = "x".join(map(str, lengths))
            raise RuntimeError(f"Found an invalid max index: {wrong[-1]} (output volumes are of size {sizes})")
    t = record(UNPOOL[rank], (input, indices), [value, places], {"lengths": lengths})
    if type(t._value) is ndarray:
        t._value = laid_out(t._value, in_channels_last(input))
    if t._node is not None:
        t._node.params = {}
    return t


@op(
    "_nn.max_unpool2d",
    "(Tensor input, Tensor indices, tuple of ints output_size, *, Tensor out = None)",
    records=(UNPOOL[2],),
)
def max_unpool2d(input: Any, indices: Any, output_size: Any) -> Tensor:
    """Images with elements at these indices of their flattened places, and zeros elsewhere."""
    return _unpool(2, input, indices, output_size)


@op(
    "_nn.max_unpool3d",
    "(Tensor input, Tensor indices, tuple of ints output_size, tuple of ints stride, tuple of ints padding, *, "
    "Tensor out = None)",
    records=(UNPOOL[3],),
)
def max_unpool3d(input: Any, indices: Any, output_size: Any, stride: Any, padding: Any) -> Tensor:
    """Volumes with elements at these indices of their flattened places, and zeros elsewhere."""
    strides = list(stride) if type(stride) is not int else [stride] * 3
    if min(strides) <= 0:
        raise RuntimeError(f"strides should be greater than zero, but got stride: {strides}")
    return _unpool(3, input, indices, output_size)
