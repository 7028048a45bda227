"""Writing that combines with what is there: scatter_reduce, index_reduce, and scatter with reduce=."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import index as core
from funcgrad.ops.structural import stop
from funcgrad.torch.base.overloads import OWN_NAME
from funcgrad.torch.declare.arguments import fitted, warn_once
from funcgrad.torch.declare.checks import Undifferentiable, check_real_if_recorded, not_implemented
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.geometry import saved
from funcgrad.torch.ops.indexed import Taken, contiguous
from funcgrad.torch.ops.scatter_places import check_rows, check_writable, scattered_places
from funcgrad.torch.tensor.composite import Composite
from funcgrad.torch.tensor.inplace import write
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import indexing as texts


def _reduced(
    x: Any, src: Any, watched: Any, *, index: Any, reduce: str, include_self: bool, taken: Taken | None = None
) -> Any:
    """x with the elements of src combined into those at the index."""
    if taken is not None:
        src = taken(src)
    if reduce in ("amax", "amin"):
        return _extreme(x, src, index, reduce, include_self)
    if not include_self:
        x = core.index_set(x, 1 if reduce == "prod" else 0, None, index=index)
    if reduce == "sum":
        return core.index_add(x, src, None, index=index)
    if reduce == "mean":
        total = core.index_add(x, src, None, index=index)
        count = np.zeros(shape_of(x), np.int64)
        if include_self:
            count[index] = 1
        np.add.at(count, index, 1)
        if include_self:
            count = np.maximum(count, 1)
        count = np.maximum(count, 1).astype(dtype_of(x))
        return np.floor_divide(total, count) if dtype_of(x).kind in "iu" else total / count
    for part in _rounds(shape_of(x), index, shape_of(src)):
        where = tuple([a[part] for a in _places_in(shape_of(x), index, shape_of(src))])
        x = core.index_set(x, core.getitem(x, index=where) * core.getitem(src, index=part), None, index=where)
    return x


def _extreme(x: Any, src: Any, index: Any, reduce: str, include_self: bool) -> Any:
    """The maxima or minima; those that tie share the gradient."""
    combine = core.index_max if reduce == "amax" else core.index_min
    if not include_self:
        worst, old = _worst(reduce, dtype_of(x)), stop(x)
        best = combine(core.index_set(old, worst, None, index=index), stop(src), None, index=index)
        # In torch an old value that happens to be the extremum takes its share, although it does not count.
        part = core.getitem(core.where(np.equal(old, best), old, worst), index=index)
        x = core.index_set(x, part.astype(dtype_of(x)), None, index=index)
    return combine(x, src, None, index=index)


def _worst(reduce: str, kind: np.dtype) -> Any:
    """What every other value of a dtype is better than."""
    if kind.kind in "fV":
        return -math.inf if reduce == "amax" else math.inf
    low, high = (False, True) if kind.kind == "b" else (np.iinfo(kind).min, np.iinfo(kind).max)
    return low if reduce == "amax" else high


def _places_in(shape: tuple, index: Any, given: tuple) -> list[ndarray]:
    """For each element of src, of shape `given`, its place on every dimension of x."""
    places = np.arange(math.prod(shape)).reshape(shape)[index]
    return [np.asarray(a) for a in np.unravel_index(np.broadcast_to(places, given), shape or (1,))][: len(shape)]


def _rounds(shape: tuple, index: Any, given: tuple) -> list[tuple]:
    """The elements of src in groups in which no place of x occurs twice, as indices into src."""
    places = np.broadcast_to(np.arange(math.prod(shape)).reshape(shape)[index], given).reshape(-1)
    order = np.argsort(places, kind="stable")
    ranked = places[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]]) if ranked.size else np.zeros(0, bool)
    starts = np.maximum.accumulate(np.where(first, np.arange(ranked.size), 0))
    rank = np.empty(ranked.size, np.int64)
    rank[order] = np.arange(ranked.size) - starts  # how often the same place came before
    count = int(rank.max()) + 1 if rank.size else 0
    return [np.unravel_index(np.nonzero(rank == k)[0], given) if given else () for k in range(count)]


_REDUCED = Composite(_reduced)
SCATTER_REDUCE, INDEX_REDUCE = (
    Operation(_REDUCED, name, operands=("self", source, "index"), saves_out=True, edges=2, again=source == "src")
    for name, source in (("ScatterReduceBackward0", "src"), ("IndexReduceBackward0", "source"))
)
SCATTER_COMBINED = {
    (inplace, edges): Operation(Undifferentiable(_reduced, f"aten::{name}"), "NotImplemented", edges=edges)
    for inplace, name in ((False, "scatter"), (True, "scatter_"))
    for edges in (1, 2)
}


def _write(op: Operation, inplace: bool, x: Any, src: Any, i: Any, v: Any, **params: Any) -> Any:
    """Apply an operation whose rules need the old value of x, which in place is gone when the walk comes by."""
    old = snapshot(x) if inplace else x
    t = record(op, (old, src, i), [raw(old), v, raw(i)], params)
    if inplace:
        return write(x, t)
    if type(t._value) is ndarray:
        t._value = contiguous(t._value)
    return t


def _check_kernel(x: Any, index: Any, reduce: str) -> None:
    """Raise torch's error if scatter_reduce has no code for a dtype."""
    kind = x._value.dtype.kind
    refused = (kind == "c" and reduce in ("amax", "amin")) or (kind == "b" and reduce == "mean")
    if refused and index._value.size:
        raise not_implemented(f"scatter_gather_tensor_cpu_reduce_{reduce}", x.dtype)
    if refused and kind == "b" and x._value.size:
        raise not_implemented("div_floor_cpu", x.dtype)


def snapshot(x: Any) -> Any:
    """A copy of x with x's history and forward derivative."""
    value = raw(x)
    t = wrapped(value.copy() if type(value) is ndarray else value)
    t._node, t._nr = x._made_by(), x._nr
    t._set(tangent=x._tangent)
    return t


@op(
    "scatter_reduce",
    "(Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self = True, Tensor out = None)",
    inplace="itself",
    records=(SCATTER_REDUCE,),
    form=".two",
    refusal=OWN_NAME,
)
def scatter_reduce(
    input: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True, inplace: bool = False
) -> Any:
    """Combine the elements of src into those that index names along dim.

    Arguments:
        dim: the dimension that index is about.
        index: int64 or int32; its places say where on the other dimensions.
        src: a tensor, at least of the size of index.
        reduce: "sum", "prod", "mean", "amax" or "amin".
        include_self: whether what is there counts.

    Example:
        >>> from funcgrad import torch
        >>> torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 0, 2]), torch.tensor([1.0, 2.0, 5.0]), "amax")
        tensor([2., 1., 5.])
    """
    name = "scatter_reduce_" if inplace else "scatter_reduce"
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(texts.SCATTER_REDUCE_NAMES.format(reduce=reduce))
    if inplace:
        check_writable(name, input, index, src)
    dim, where, taken = scattered_places(name, input, dim, index, src)
    _check_kernel(input, index, reduce)
    if not inplace:
        check_real_if_recorded("scatter_reduce", input, input, src)
    how = {"reduce": reduce, "include_self": include_self}
    t = _write(SCATTER_REDUCE, inplace, input, src, index, raw(src), index=where, taken=taken, **how)
    return t if inplace else saved(t, dim=dim, **how)


@op(
    "index_reduce",
    "(Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self = True, Tensor out = None)",
    inplace="itself",
    records=(INDEX_REDUCE,),
)
def index_reduce(
    input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True, inplace: bool = False
) -> Any:
    """Combine the slices of source into those of input that index names along dim.

    Arguments:
        reduce: "prod", "mean", "amax" or "amin".
        include_self: whether what is there counts.
    """
    name = "index_reduce_" if inplace else "index_reduce"
    warn_once(texts.INDEX_REDUCE_BETA, stacklevel=3)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(texts.INDEX_REDUCE_NAMES.format(reduce=reduce))
    dim = wrap_dim(dim, input._value.ndim)
    if inplace:
        check_writable(name, input, index, source)
    where = check_rows("index_reduce_", input, dim, index, source)
    if input._value.dtype.kind in "cb" and index._value.size:
        raise not_implemented("index_func_", input.dtype)
    how = {"reduce": reduce, "include_self": include_self}
    t = _write(INDEX_REDUCE, inplace, input, source, index, raw(source), index=where, **how)
    return t if inplace else saved(t, dim=dim, **how)


def scatter_combined(inplace: bool, x: Any, dim: Any, index: Any, given: Any, reduce: Any) -> Any:
    """scatter with reduce="add" or "multiply", which torch can't differentiate."""
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    src = given if isinstance(given, Tensor) else None
    if src is not None:
        warn_once(texts.SCATTER_REDUCE_DEPRECATED, stacklevel=4)
    if inplace:
        check_writable("scatter_.reduce" if src is not None else "scatter_.value_reduce", x, index, given)
    dim, where, taken = scattered_places("scatter", x, dim, index, src)
    v = raw(src) if src is not None else np.broadcast_to(fitted(given, x.dtype), raw(index).shape if where else ())
    how = "sum" if reduce == "add" else "prod"
    return _write(
        SCATTER_COMBINED[inplace, 1 if src is None else 2],
        inplace,
        x,
        src,
        index,
        v,
        index=where,
        reduce=how,
        include_self=True,
        taken=taken,
    )
