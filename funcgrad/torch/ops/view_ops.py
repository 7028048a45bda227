"""The operations behind views: for each a primitive of the core, the name of its node, and its look at memory.

A look gives the ndarray on the same memory that has torch's strides, where NumPy's own are others: dimensions of size 1
and tensors without elements keep theirs, and expanded dimensions can be written to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.ops import index as index_core
from funcgrad.ops import structural as core
from funcgrad.torch.ops.geometry import reshaped_look, restrided
from funcgrad.torch.tensor.operation import Operation, matrix_transpose
from funcgrad.torch.tensor.views import ViewOperation
from funcgrad.torch.texts import shapes as texts


def _look_view(value: ndarray, *, shape: tuple) -> ndarray:
    found = reshaped_look(value, shape)
    if found is None:
        raise RuntimeError(texts.VIEW_NEEDS_COPY)
    return found


def _look_expand(value: ndarray, *, shape: tuple) -> ndarray:
    old, steps = value.shape, value.strides
    new = len(shape) - len(old)
    strides = list(shape)
    for d in range(len(shape) - 1, -1, -1):
        if d >= new:
            n, step = old[d - new], steps[d - new]
        else:
            n, step = 1, shape[d + 1] * strides[d + 1] if d + 1 < len(shape) else 0
        strides[d] = step if n == shape[d] else 0
    return restrided(value, shape, strides)


def _look_transpose(value: ndarray, *, axes: tuple) -> ndarray:
    if value.size:
        return value.transpose(axes)
    strides = value.strides
    return restrided(value, [value.shape[a] for a in axes], [strides[a] for a in axes])


def look_without(value: ndarray, dims: tuple[int, ...]) -> ndarray:
    """The memory of an array without dimensions of size 1."""
    if not dims:
        return value.view()
    strides = value.strides
    keep = [d for d in range(value.ndim) if d not in dims]
    return restrided(value, [value.shape[d] for d in keep], [strides[d] for d in keep])


def look_with(value: ndarray, dim: int) -> ndarray:
    """The memory of an array with a dimension of size 1 more."""
    shape, strides = value.shape, value.strides
    step = shape[dim] * strides[dim] if dim < value.ndim else value.itemsize
    return restrided(value, (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:]))


def _look_index(value: ndarray, *, index: tuple) -> ndarray:
    """Of an index of full slices and, last, an int, with or without an Ellipsis, or a slice with a positive step."""
    found = value[index]
    if found.size:
        return found
    strides = value.strides
    if not isinstance(index[-1], slice):
        rest, place = (index[:-2], index[-2]) if index[-1] is Ellipsis else (index[:-1], index[-1])
        dim = value.ndim - 1 if Ellipsis in rest else len(rest)
        return restrided(
            value,
            (*value.shape[:dim], *value.shape[dim + 1 :]),
            (*strides[:dim], *strides[dim + 1 :]),
            place % value.shape[dim] * strides[dim],
        )
    dim = value.ndim - 1 if Ellipsis in index else len(index) - 1
    start, _, step = index[-1].indices(value.shape[dim])
    new = [*strides[:dim], strides[dim] * step, *strides[dim + 1 :]]
    return restrided(value, found.shape, new, start * strides[dim])


def _look_diagonal(value: ndarray, *, offset: int, axis1: int, axis2: int) -> ndarray:
    shape, strides = value.shape, value.strides
    rows, columns = shape[axis1], shape[axis2]
    n = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    start = (offset * strides[axis2] if offset >= 0 else -offset * strides[axis1]) if n else 0
    rest = [d for d in range(value.ndim) if d not in (axis1, axis2)]
    return restrided(
        value,
        [*[shape[d] for d in rest], n],
        [*[strides[d] for d in rest], strides[axis1] + strides[axis2]],
        start,
    )


def _unfold(x: Any, *, dimension: int, size: int, step: int) -> Any:
    """Windows of `size` elements, one every `step`, along a dimension; the last dimension runs within a window."""
    if x.ndim == 0:
        return x.reshape((1,))[:size]
    starts = np.arange(0, x.shape[dimension] - size + 1, step)
    places = starts[:, None] + np.arange(size)
    windows = x[(*(slice(None),) * dimension, places)]
    inner = dimension + 1
    return windows.transpose((*range(inner), *range(inner + 1, windows.ndim), inner))


def _look_unfold(value: ndarray, *, dimension: int, size: int, step: int) -> ndarray:
    shape, strides = value.shape, value.strides
    if not shape:
        return restrided(value, (size,), (value.itemsize,))
    n = (shape[dimension] - size) // step + 1
    return restrided(
        value,
        (*shape[:dimension], n, *shape[dimension + 1 :], size),
        (*strides[:dimension], step * strides[dimension], *strides[dimension + 1 :], strides[dimension]),
    )


VIEW = ViewOperation(core.reshape, "ViewBackward0", look=_look_view, again=True)
RESHAPE_ALIAS = ViewOperation(core.reshape, "ReshapeAliasBackward0", look=_look_view)
UNSAFE_VIEW = ViewOperation(core.reshape, "UnsafeViewBackward0", look=_look_view)
SQUEEZE, SQUEEZE_DIM, SQUEEZE_DIMS, SQUEEZE_, SQUEEZE_DIM_, SQUEEZE_DIMS_ = (
    ViewOperation(core.reshape, f"SqueezeBackward{k}", look=_look_view) for k in range(6)
)
UNSQUEEZE, UNSQUEEZE_ = (ViewOperation(core.reshape, f"UnsqueezeBackward{k}", look=_look_view) for k in range(2))
EXPAND = ViewOperation(core.broadcast_to, "ExpandBackward0", look=_look_expand, again=True)
UNSQUEEZED = {
    op.name: ViewOperation(core.broadcast_to, op.name, look=_look_expand) for op in (SQUEEZE, SQUEEZE_DIM, SQUEEZE_DIMS)
}
"""Of squeezing where no dimension goes: the gradient is handed on as it is."""
ALIAS = ViewOperation(core.broadcast_to, "AliasBackward0", look=_look_expand)
TRANSPOSE, TRANSPOSE_ = (
    ViewOperation(core.transpose, f"TransposeBackward{k}", look=_look_transpose, again=k == 0) for k in range(2)
)
PERMUTE = ViewOperation(core.transpose, "PermuteBackward0", look=_look_transpose)
T, T_ = (ViewOperation(core.transpose, f"TBackward{k}", look=_look_transpose) for k in range(2))
matrix_transpose.append(T)
SELECT = ViewOperation(index_core.getitem, "SelectBackward0", look=_look_index, again=True)
SLICE = ViewOperation(index_core.getitem, "SliceBackward0", look=_look_index)
DIAGONAL = ViewOperation(core.diagonal, "DiagonalBackward0", look=_look_diagonal, again=True)
UNFOLD = ViewOperation(_unfold, "UnfoldBackward0", look=_look_unfold, saves=(), again=True)

CLONE = Operation(core.broadcast_to, "CloneBackward0", operands=("self",))


def in_copy(op: Operation) -> Operation:
    """The operation that gives as a copy what a view operation looks at."""
    return Operation(op.primitive, op.name + "_copy", operands=("self",), saves=())
