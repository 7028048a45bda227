"""What views show, as copies (`transpose_copy`); copies in which a view was replaced (`select_scatter`)."""

from __future__ import annotations

from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.ops import index as index_core
from funcgrad.ops import structural as core
from funcgrad.torch.base.storage import strided
from funcgrad.torch.declare.checks import check_real_if_recorded
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.writing import counted_view
from funcgrad.torch.ops import splitting
from funcgrad.torch.ops.arranging import diagonal_copied
from funcgrad.torch.ops.axes import ordered_dims, reversed_matrix, swapped
from funcgrad.torch.ops.complex import VIEW_AS_COMPLEX, VIEW_AS_REAL, view_as_complex, view_as_real
from funcgrad.torch.ops.geometry import complete, saved, unsigned
from funcgrad.torch.ops.memory import empty_as, recorded_as, strided_params
from funcgrad.torch.ops.overwriting import overlaps
from funcgrad.torch.ops.shapes import expanded_shape, squeezed_dims, view
from funcgrad.torch.ops.view_ops import (
    ALIAS,
    EXPAND,
    PERMUTE,
    SELECT,
    SLICE,
    SQUEEZE,
    SQUEEZE_DIM,
    SQUEEZE_DIMS,
    TRANSPOSE,
    UNFOLD,
    UNSQUEEZE,
    VIEW,
    T,
    in_copy,
)
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.tensor.views import AS_STRIDED, positions
from funcgrad.torch.texts import indexing as index_texts
from funcgrad.torch.texts import shapes as texts

_VIEW, _ALIAS, _EXPAND, _TRANSPOSE, _PERMUTE, _T, _SELECT, _SLICE, _UNFOLD, _UNSQUEEZE, _AS_STRIDED = (
    in_copy(op) for op in (VIEW, ALIAS, EXPAND, TRANSPOSE, PERMUTE, T, SELECT, SLICE, UNFOLD, UNSQUEEZE, AS_STRIDED)
)
_SQUEEZE, _SQUEEZE_DIM, _SQUEEZE_DIMS = (in_copy(op) for op in (SQUEEZE, SQUEEZE_DIM, SQUEEZE_DIMS))
_VIEW_AS_REAL, _VIEW_AS_COMPLEX = in_copy(VIEW_AS_REAL), in_copy(VIEW_AS_COMPLEX)
_UNBIND, _SPLIT, _SPLIT_WITH_SIZES = (
    in_copy(op) for op in (splitting.UNBIND, splitting.SPLIT, splitting.SPLIT_WITH_SIZES)
)
_NARROW = Operation(index_core.getitem, "NarrowCopyBackward0", operands=("self",))


@op("alias_copy", "(Tensor input, *, Tensor out = None)", method=False, records=(_ALIAS,))
def alias_copy(input: Tensor) -> Tensor:
    """A copy of a tensor."""
    return _ALIAS(input, shape=input._value.shape)


@op(
    "view_copy",
    "(Tensor input, torch.dtype dtype, *, Tensor out = None)",
    "(Tensor input, tuple of ints! size, *, Tensor out = None)",
    method=False,
    records=(_VIEW,),
)
def view_copy(input: Tensor, size: Any = None, dtype: Any = None) -> Tensor:
    """As `Tensor.view`, as a copy."""
    if dtype is not None:
        return view(input, dtype=dtype).clone()
    shape = complete(tuple(size), input._value.size)
    return saved(_VIEW(input, shape=shape), self_sym_sizes=input._value.shape)


@op(
    "expand_copy",
    "(Tensor input, tuple of ints! size, *, bool implicit = False, Tensor out = None)",
    method=False,
    records=(_EXPAND,),
)
def expand_copy(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """As `Tensor.expand`, as a copy."""
    shape = expanded_shape(input, tuple(size))
    return saved(_EXPAND(input, shape=shape), self_sym_sizes=input._value.shape)


@op("transpose_copy", "(Tensor input, int dim0, int dim1, *, Tensor out = None)", method=False, records=(_TRANSPOSE,))
def transpose_copy(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """As `transpose`, as a copy."""
    t = _TRANSPOSE(input, axes=swapped(input, dim0, dim1))
    return saved(t, dim0=unsigned(dim0), dim1=unsigned(dim1))


@op("permute_copy", "(Tensor input, tuple of ints! dims, *, Tensor out = None)", method=False, records=(_PERMUTE,))
def permute_copy(input: Tensor, dims: Any) -> Tensor:
    """As `permute`, as a copy."""
    return saved(_PERMUTE(input, axes=ordered_dims(input, tuple(dims))), dims=tuple([unsigned(d) for d in dims]))


@op("t_copy", "(Tensor input, *, Tensor out = None)", method=False, records=(_T,))
def t_copy(input: Tensor) -> Tensor:
    """As `t`, as a copy."""
    return saved(_T(input, axes=reversed_matrix(input)))


@op(
    "squeeze_copy",
    "(Tensor input, *, Tensor out = None)",
    "(Tensor input, int dim, *, Tensor out = None)",
    "(Tensor input, tuple of ints! dim, *, Tensor out = None)",
    method=False,
    records=(_SQUEEZE, _SQUEEZE_DIMS, _SQUEEZE_DIM),
)
def squeeze_copy(input: Tensor, dim: Any = None) -> Tensor:
    """As `squeeze`, as a copy."""
    copied = _SQUEEZE if dim is None else _SQUEEZE_DIMS if isinstance(dim, (tuple, list)) else _SQUEEZE_DIM
    dims, shape = squeezed_dims(input, dim), input._value.shape
    return saved(copied(input, shape=tuple([n for d, n in enumerate(shape) if d not in dims])), self_sym_sizes=shape)


@op("unsqueeze_copy", "(Tensor input, int dim, *, Tensor out = None)", method=False, records=(_UNSQUEEZE,))
def unsqueeze_copy(input: Tensor, dim: int) -> Tensor:
    """As `unsqueeze`, as a copy."""
    shape = input._value.shape
    place = wrap_dim(dim, len(shape) + 1)
    return saved(_UNSQUEEZE(input, shape=(*shape[:place], 1, *shape[place:])), dim=unsigned(dim))


@op("select_copy", "(Tensor input, int dim, int index, *, Tensor out = None)", method=False, records=(_SELECT,))
def select_copy(input: Tensor, dim: int, index: int) -> Tensor:
    """As `select`, as a copy."""
    t = _SELECT(input, index=splitting.selection(input, dim, index))
    return saved(t, dim=unsigned(dim), index=unsigned(index), self_sym_sizes=input._value.shape)


def _sliced(x: Tensor, dim: int, start: Any, end: Any, step: int) -> tuple[tuple, dict]:
    """The index of a slice of a dimension, and what the node shows."""
    shape = x._value.shape
    if not shape:
        raise IndexError(index_texts.SLICE_NO_DIMENSIONS)
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    axis = wrap_dim(dim, len(shape))
    first, last, _ = slice(start, end).indices(shape[axis])
    index = (*(slice(None),) * axis, slice(first, max(first, last), step))
    shown = [None if x is None else unsigned(x) for x in (start, end)]
    return index, {"dim": unsigned(dim), "start": shown[0], "end": shown[1], "step": step}


@op(
    "slice_copy",
    "(Tensor input, int dim = 0, int start = None, int end = None, int step = 1, *, Tensor out = None)",
    method=False,
    records=(_SLICE,),
)
def slice_copy(input: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Tensor:
    """A copy of `input[start:end:step]` along a dimension."""
    index, shown = _sliced(input, dim, start, end, step)
    return saved(_SLICE(input, index=index), **shown, self_sym_sizes=input._value.shape)


@op("narrow_copy", "(Tensor input, int dim, int start, int length, *, Tensor out = None)", records=(_NARROW,))
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """As `narrow`, as a copy."""
    dim, start, length = splitting.narrowed(input, dim, start, length)
    t = _NARROW(input, index=(*(slice(None),) * dim, slice(start, start + length)))
    return saved(t, dim=dim, start=start, length=length, self_sym_sizes=input._value.shape)


@op("diagonal_copy", "(Tensor input, int offset = 0, int dim1 = 0, int dim2 = 1, *, Tensor out = None)", method=False)
def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """As `diagonal`, as a copy."""
    return diagonal_copied(input, offset, dim1, dim2)


@op(
    "unfold_copy",
    "(Tensor input, int dimension, int size, int step, *, Tensor out = None)",
    method=False,
    records=(_UNFOLD,),
)
def unfold_copy(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """As `Tensor.unfold`, as a copy."""
    value = raw(input.detach().unfold(dimension, size, step)).copy()
    params = splitting.unfold_params(input, dimension, size, step)
    t = recorded_as(_UNFOLD, input, raw(input), value, **params)
    return saved(t, dimension=unsigned(dimension), size=size, step=step, self_sym_sizes=input._value.shape)


@op(
    "as_strided_copy",
    "(Tensor input, tuple of ints! size, tuple of ints! stride, int storage_offset = None, *, Tensor out = None)",
    method=False,
    records=(_AS_STRIDED,),
)
def as_strided_copy(input: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """As `as_strided`, as a copy."""
    value = raw(input.detach().as_strided(size, stride, storage_offset)).copy()
    params = strided_params(input, size, stride, storage_offset)
    t = recorded_as(_AS_STRIDED, input, raw(input), value, **params)
    return saved(t, size=params["size"], stride=params["stride"], storage_offset=storage_offset)


@op("view_as_real_copy", "(Tensor input, *, Tensor out = None)", method=False, records=(_VIEW_AS_REAL,))
def view_as_real_copy(input: Tensor) -> Tensor:
    """As `view_as_real`, as a copy."""
    view_as_real(input.detach())
    return _VIEW_AS_REAL(input)


@op("view_as_complex_copy", "(Tensor input, *, Tensor out = None)", method=False, records=(_VIEW_AS_COMPLEX,))
def view_as_complex_copy(input: Tensor) -> Tensor:
    """As `view_as_complex`, as a copy."""
    view_as_complex(input.detach())
    return _VIEW_AS_COMPLEX(input)


@op("unbind_copy", "(Tensor input, int dim = 0, *, tuple of Tensors out = None)", method=False, records=(_UNBIND,))
def unbind_copy(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """As `unbind`, as copies."""
    _, n, axis = splitting.unbound(input, dim)
    return splitting.shown_by_all(_UNBIND(input, axis=axis), dim=unsigned(dim)) if n else ()


@op(
    "split_copy",
    "(Tensor input, int split_size, int dim = 0, *, tuple of Tensors out = None)",
    method=False,
    records=(_SPLIT,),
)
def split_copy(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As `split`, as copies."""
    ends, axis = splitting.even_ends(input, split_size, dim)
    found = _SPLIT(input, ends=ends, axis=axis)
    return splitting.shown_by_all(found, split_size=split_size, dim=unsigned(dim), self_sym_sizes=input._value.shape)


@op(
    "split_with_sizes_copy",
    "(Tensor input, tuple of ints! split_sizes, int dim = 0, *, tuple of Tensors out = None)",
    method=False,
    records=(_SPLIT_WITH_SIZES,),
)
def split_with_sizes_copy(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """As `split_with_sizes`, as copies."""
    ends, axis = splitting.given_ends(input, split_sizes, dim)
    found = _SPLIT_WITH_SIZES(input, ends=ends, axis=axis)
    return splitting.shown_by_all(
        found, split_sizes=tuple(split_sizes), dim=unsigned(dim), self_sym_sizes=input._value.shape
    )


# Copies in which a view was replaced.


def _index_scatter(x: Any, src: Any, *, index: tuple) -> Any:
    return index_core.index_set(x, src, None, index=index)


def _diagonal_scatter(x: Any, src: Any, *, offset: int, axis1: int, axis2: int) -> Any:
    where = {"shape": x.shape, "offset": offset, "axis1": axis1, "axis2": axis2}
    mask = core.embed_diagonal.impl(np.ones(src.shape, bool), **where)
    return fnp.where(mask, core.embed_diagonal(src, **where), x)


def _as_strided_scatter(x: Any, src: Any, *, size: tuple, stride: tuple, offset: int, of: tuple) -> Any:
    held = positions(*of).reshape(-1)
    order = np.argsort(held)
    found = order[np.searchsorted(held, positions(size, stride, offset).reshape(-1), sorter=order)]
    flat = index_core.index_set(fnp.reshape(x, (-1,)), fnp.reshape(src, (-1,)), None, index=found)
    return fnp.reshape(flat, x.shape)


_SELECT_SCATTER, _SLICE_SCATTER = (
    Operation(_index_scatter, f"{name}ScatterBackward0", operands=("self", "src"), saves=())
    for name in ("Select", "Slice")
)
_DIAGONAL_SCATTER = Operation(_diagonal_scatter, "DiagonalScatterBackward0", operands=("self", "src"), saves=())
_AS_STRIDED_SCATTER = Operation(_as_strided_scatter, "AsStridedScatterBackward0", operands=("self", "src"), saves=())


def _check_source(input: Tensor, src: Tensor, part: Tensor, name: str) -> Tensor:
    """src in input's dtype; it has to have the sizes of the part that it replaces."""
    if src._value.shape != part._value.shape:
        raise RuntimeError(texts.SLICE_SIZE_DIFFERS.format(src=list(src._value.shape), part=list(part._value.shape)))
    if name in ("select_scatter", "slice_scatter"):
        check_real_if_recorded(name, input, input, src)
    return src if src.dtype is input.dtype else src.to(input.dtype)


@op(
    "select_scatter",
    "(Tensor input, Tensor src, int dim, int index, *, Tensor out = None)",
    records=(SELECT, _SELECT_SCATTER),
)
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """A copy of input in which `input.select(dim, index)` is src."""
    where = splitting.selection(input, dim, index)
    src = _check_source(input, src, SELECT(input.detach(), index=where), "select_scatter")
    t = _in_layout_of(input, _SELECT_SCATTER(input, src, index=where))
    return counted_view(saved(t, dim=unsigned(dim), index=unsigned(index)), 2, input, src)


@op(
    "slice_scatter",
    "(Tensor input, Tensor src, int dim = 0, int start = None, int end = None, int step = 1, *, Tensor out = None)",
    records=(SLICE, _SLICE_SCATTER),
)
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1
) -> Tensor:
    """A copy of input in which `input[start:end:step]`, along a dimension, is src."""
    where, shown = _sliced(input, dim, start, end, step)
    src = _check_source(input, src, SLICE(input.detach(), index=where), "slice_scatter")
    return counted_view(saved(_in_layout_of(input, _SLICE_SCATTER(input, src, index=where)), **shown), 2, input, src)


@op(
    "diagonal_scatter",
    "(Tensor input, Tensor src, int offset = 0, int dim1 = 0, int dim2 = 1, *, Tensor out = None)",
    records=(_DIAGONAL_SCATTER,),
)
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of input in which `input.diagonal(offset, dim1, dim2)` is src."""
    params = splitting.diagonal_params(input, offset, dim1, dim2)
    src = _check_source(input, src, input.detach().diagonal(offset, dim1, dim2), "diagonal_scatter")
    t = _in_layout_of(input, _DIAGONAL_SCATTER(input, src, **params))
    t = saved(t, offset=unsigned(offset), dim1=unsigned(dim1), dim2=unsigned(dim2))
    return counted_view(t, 2, input, src)


@op(
    "as_strided_scatter",
    "(Tensor input, Tensor src, tuple of ints! size, tuple of ints! stride, int storage_offset = None, *, "
    "Tensor out = None)",
    records=(_AS_STRIDED_SCATTER,),
)
def as_strided_scatter(input: Tensor, src: Tensor, size: Any, stride: Any, storage_offset: Any = None) -> Tensor:
    """A copy of input in which `input.as_strided(size, stride, storage_offset)` is src."""
    params = strided_params(input, size, stride, storage_offset)
    src = _check_source(input, src, input.detach().as_strided(size, stride, storage_offset), "as_strided_scatter")
    t = _in_layout_of(input, _AS_STRIDED_SCATTER(input, src, **params))
    t = saved(t, size=params["size"], stride=params["stride"], storage_offset=storage_offset)
    return counted_view(t, 2, input, src)


def _in_layout_of(x: Tensor, t: Tensor) -> Tensor:
    """A new tensor in a copy of the whole storage of x, unless elements of x are one place in memory."""
    value = t._value
    if not isinstance(value, np.ndarray) or (x._view is None and x._value.strides == value.strides):
        return t
    if overlaps(x):
        t._value = empty_as(x._value)
    else:
        t._store = x._storage().clone()
        t._value = strided(t._store, value.dtype, value.shape, x.stride(), x.storage_offset())
    t._value[...] = value
    return t
