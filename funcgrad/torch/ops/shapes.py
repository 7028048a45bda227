"""The same elements in other sizes: view, reshape, expand, squeeze and the like.

Views share memory with what they are made of; `reshape` and its kin copy where no view is possible.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any

from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.meta import Size, contiguous_format
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.storage import pointer, without_elements
from funcgrad.torch.declare.arguments import dtype_argument
from funcgrad.torch.declare.op import op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.ops.geometry import (
    complete,
    distinct_dims,
    given_tensors,
    reshaped_look,
    saved,
    unsigned,
)
from funcgrad.torch.ops.memory import change_view, clone
from funcgrad.torch.ops.view_ops import (
    EXPAND,
    RESHAPE_ALIAS,
    SQUEEZE,
    SQUEEZE_,
    SQUEEZE_DIM,
    SQUEEZE_DIM_,
    SQUEEZE_DIMS,
    SQUEEZE_DIMS_,
    UNSAFE_VIEW,
    UNSQUEEZE,
    UNSQUEEZE_,
    UNSQUEEZED,
    VIEW,
    look_with,
    look_without,
)
from funcgrad.torch.tensor.inplace import check_inplace
from funcgrad.torch.tensor.levels import batches_of
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.traced import memory_shown
from funcgrad.torch.tensor.values import new as new_tensor
from funcgrad.torch.tensor.views import counter_of, seen
from funcgrad.torch.tensor.views import view as look_at
from funcgrad.torch.texts import memory as memory_texts
from funcgrad.torch.texts import shapes as texts

# view and reshape.


def sized_view(op: Any, x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """x in another shape, which must be complete, on the same memory."""
    t = op(x, shape=shape)
    node = t._node
    if node is not None:
        node.params = {"self_sym_sizes": x._value.shape}
    return t


@op("Tensor.view", "(Tensor input, torch.dtype dtype)", "(Tensor input, tuple of ints! size)", records=(VIEW,))
def view(input: Tensor, size: Any = None, dtype: Any = None) -> Tensor:
    """A view in another shape, or of the same bytes as another dtype.

    Arguments:
        size: the new sizes, one of which may be -1; as several arguments or as a tuple.
        dtype: instead: the dtype to read the bytes as. Gradients don't flow through that.

    Returns:
        The view.

    Raises:
        RuntimeError: the sizes don't fit, or the elements lie so that they would have to be copied; see `reshape`.

    Example:
        >>> from funcgrad import torch
        >>> torch.arange(6).view(2, -1)
        tensor([[0, 1, 2],
                [3, 4, 5]])
    """
    if dtype is not None:
        return _view_dtype(input, dtype_argument("view", dtype))
    return _viewed(input, tuple(size))


def completed(x: Tensor, shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape for x, in which -1 stands for what makes it hold its elements; in vmap those of all examples."""
    if state.transforms:
        around = tuple([level.trace.size for level in batches_of(x)])
        if 0 in around:
            return complete((*around, *shape), 0)[len(around) :]
    return complete(shape, x._value.size)


def _viewed(x: Tensor, shape: tuple[int, ...]) -> Tensor:
    """x in another shape, which may hold -1; of an argument of vmap its memory is looked at."""
    shape = completed(x, shape)
    memory = memory_shown(x) if isinstance(x._value, Array) else None
    if memory is not None:
        VIEW.look(memory, shape=shape)  # raises if the elements would have to be copied
    return sized_view(VIEW, x, shape)


def _view_dtype(x: Tensor, kind: Any) -> Tensor:
    """The bytes of a tensor read as another dtype; for autograd the result is neither a view nor a function of x."""
    storage, value = x._storage(), x._value
    for bit, name in ((x.is_conj(), "conjugate view tensors"), (x.is_neg(), "tensors with negative bit set")):
        if bit:
            raise RuntimeError(texts.NO_VIEW_AS_DTYPE.format(kind=name))
    old, new = value.dtype.itemsize, kind.itemsize
    shape, strides = list(value.shape), list(value.strides)
    if old != new:
        _check_bytes(x, kind)
        shape[-1] = shape[-1] * old // new
        strides[-1] = new
    t = new_tensor(Tensor)
    if value.size:
        t._value = ndarray(shape, kind.numpy, storage.bytes, x.storage_offset() * old, strides)
    else:
        t._value = without_elements(pointer(value), shape, kind.numpy, strides)
    t._store, t._inference = x._store, state.inference
    if not (state.inference or x._inference):
        t._counter = counter_of(x)
    return t


def _check_bytes(x: Tensor, kind: Any) -> None:
    """Raise torch's error if the elements of x can't be read as those of a dtype of another size."""
    words = f"to view {x.dtype.title} as {kind.title} (different element sizes)"
    if not x._value.ndim:
        raise RuntimeError(f"self.dim() cannot be 0 {words}")
    stride, ratio = x.stride(), kind.itemsize // x._value.dtype.itemsize

    def check_multiple(what: str, n: int) -> None:
        if ratio and n % ratio:
            raise RuntimeError(f"self.{what} must be divisible by {ratio} {words}, but got {n}")

    check_multiple("size(-1)", x._value.shape[-1])
    check_multiple("storage_offset()", x.storage_offset())
    if stride[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {words}, but got {stride[-1]}")
    for d, s in enumerate(stride[:-1]):
        check_multiple(f"stride({d})", s)


@op("Tensor.view_as", "(Tensor input, Tensor other)", records=(VIEW,))
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """A view in the shape of another tensor."""
    return _viewed(input, other._value.shape)


def reshaped(x: Tensor, shape: tuple[int, ...], *, as_view: bool = False) -> Tensor:
    """x in another shape, which may hold -1: a view if possible, else a copy.

    `as_view` says that a copy is then viewed in the new shape, as some functions do it.
    """
    value = x._value
    shape = completed(x, shape)
    memory = memory_shown(x) if isinstance(value, Array) else value
    if memory is None or memory.flags.c_contiguous:
        return sized_view(VIEW, x, shape)
    if reshaped_look(memory, shape) is not None:
        return sized_view(VIEW if isinstance(value, Array) else RESHAPE_ALIAS, x, shape)
    copy = clone(x, memory_format=contiguous_format)
    if as_view:
        return sized_view(VIEW, copy, shape)
    return saved(seen(UNSAFE_VIEW, copy, {"shape": shape}), self_sym_sizes=value.shape)


@op("reshape", "(Tensor input, tuple of ints! shape)", records=(VIEW, RESHAPE_ALIAS, UNSAFE_VIEW))
def reshape(input: Tensor, shape: Any) -> Tensor:
    """The same elements in another shape: a view if the elements lie so that it is possible, else a copy.

    Arguments:
        input: the tensor.
        shape: the new sizes, one of which may be -1.

    Returns:
        The view or copy.

    Raises:
        RuntimeError: the sizes don't fit.

    Example:
        >>> from funcgrad import torch
        >>> torch.reshape(torch.arange(4), (2, 2))
        tensor([[0, 1],
                [2, 3]])
    """
    return reshaped(input, tuple(shape))


@op("Tensor.reshape_as", "(Tensor input, Tensor other)", records=(VIEW, RESHAPE_ALIAS, UNSAFE_VIEW))
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """As reshape, to the shape of another tensor."""
    return reshaped(input, other._value.shape)


@op("flatten", "(Tensor input, int start_dim = 0, int end_dim = -1)", records=(VIEW, RESHAPE_ALIAS, UNSAFE_VIEW))
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Join neighbouring dimensions into one.

    Arguments:
        input: the tensor; of one without dimensions the result has one.
        start_dim, end_dim: the first and the last of the dimensions to join.

    Returns:
        input itself if there is nothing to do, else as from `reshape`.

    Raises:
        RuntimeError: start_dim comes after end_dim.
    """
    shape = input._value.shape
    start = wrap_dim(start_dim, len(shape))
    end = wrap_dim(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not shape:
        return reshaped(input, (1,))
    if start == end:
        return input
    return reshaped(input, (*shape[:start], prod(shape[start : end + 1]), *shape[end + 1 :]))


@op("unflatten", "(Tensor input, int dim, tuple of ints! sizes)", records=(VIEW,))
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split one dimension into several.

    Arguments:
        input: the tensor.
        dim: the dimension.
        sizes: what it is split into, of which one may be -1.

    Returns:
        A view.

    Example:
        >>> from funcgrad import torch
        >>> torch.zeros(2, 6).unflatten(1, (3, -1)).shape
        torch.Size([2, 3, 2])
    """
    sizes = tuple(sizes)
    shape = input._value.shape
    dim = wrap_dim(dim, len(shape))
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if not shape:
        raise RuntimeError(texts.UNFLATTEN_NO_DIMENSIONS.format(dim=dim))
    n = shape[dim]
    if sizes.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")
    try:
        found = complete(sizes, n)
    except RuntimeError:
        raise RuntimeError(texts.UNFLATTEN_SIZES.format(sizes=list(sizes), dim=dim, n=n)) from None
    return sized_view(VIEW, input, (*shape[:dim], *found, *shape[dim + 1 :]))


@op("ravel", "(Tensor input)", records=(VIEW,))
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension: a view if they follow each other in memory, else a copy."""
    return sized_view(VIEW, input.contiguous(), (input._value.size,))


# expand.


def expanded_shape(x: Tensor, size: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes that x is expanded to, where -1 leaves a dimension as it is.

    Raises:
        RuntimeError: x does not broadcast to them.
    """
    old = x._value.shape
    new = len(size) - len(old)
    if size[new:] == old and (not new or min(size[:new]) >= 0):
        return size
    if new < 0:
        raise RuntimeError(
            texts.EXPAND_FEWER_DIMENSIONS.format(
                kind=x.dtype.cxx_type, old=list(old), size=list(size), given=len(size), ndim=len(old)
            )
        )
    if not old and min(size) < 0:
        raise RuntimeError(memory_texts.NUMEL_OVERFLOW)
    out = list(size)
    for d in range(len(size) - 1, -1, -1):
        n = old[d - new] if d >= new else 1
        if size[d] == -1:
            if d < new:
                raise RuntimeError(texts.EXPAND_LEADING_MINUS_ONE.format(dim=d))
            out[d] = n
        elif size[d] != n and (n != 1 or size[d] < 0):
            raise RuntimeError(
                texts.EXPAND_SIZE_DIFFERS.format(size=size[d], n=n, dim=d, target=list(size), old=list(old))
            )
    return tuple(out)


@op("Tensor.expand", "(Tensor input, tuple of ints! size, *, bool implicit = False)", records=(EXPAND,))
def expand(input: Tensor, size: Any, *, implicit: bool = False) -> Tensor:
    """A view in which dimensions of size 1 are repeated, without copying.

    Arguments:
        size: the sizes, as several arguments or as a tuple; -1 leaves a dimension as it is, and there may be new ones
            in front.

    Returns:
        The view; the repeated elements are one place in memory.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([[1], [2]]).expand(-1, 3)
        tensor([[1, 1, 1],
                [2, 2, 2]])
    """
    return sized_view(EXPAND, input, expanded_shape(input, tuple(size)))


@op("Tensor.expand_as", "(Tensor input, Tensor other)", records=(EXPAND,))
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """Expand to the shape of another tensor."""
    return sized_view(EXPAND, input, expanded_shape(input, other._value.shape))


@op("broadcast_to", "(Tensor input, tuple of ints! size)", records=(EXPAND,))
def broadcast_to(input: Tensor, size: Any) -> Tensor:
    """Expand a tensor to a shape, without copying."""
    return sized_view(EXPAND, input, expanded_shape(input, tuple(size)))


@op("broadcast_tensors", method=False, records=(EXPAND,))
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Expand tensors to the shape that they broadcast to; those that have it already are given back themselves."""
    tensors = given_tensors(tensors)
    check_broadcast([t._value for t in tensors])
    shape = broadcast_sizes([t._value.shape for t in tensors])
    return tuple([t if t._value.shape == shape else sized_view(EXPAND, t, shape) for t in tensors])


@op("broadcast_shapes", method=False)
def broadcast_shapes(*shapes: Any) -> Size:
    """The shape that shapes broadcast to; an int stands for a shape of one dimension.

    Raises:
        RuntimeError: they don't.

    Example:
        >>> from funcgrad import torch
        >>> torch.broadcast_shapes((2, 1), 3)
        torch.Size([2, 3])
    """
    return broadcast_sizes([(s,) if isinstance(s, int) else tuple(s) for s in shapes])


def broadcast_sizes(shapes: list[tuple[int, ...]]) -> Size:
    """As `broadcast_shapes`, of tuples."""
    out = [1] * max([len(s) for s in shapes], default=0)
    for k, shape in enumerate(shapes):
        for d in range(-1, -len(shape) - 1, -1):
            if shape[d] < 0:
                raise ValueError("Attempting to broadcast a dimension with negative length!")
            if shape[d] not in (1, out[d]):
                if out[d] != 1:
                    raise RuntimeError(
                        texts.BROADCAST_SHAPES_DIFFER.format(n=shape[d], dim=d, place=k, shape=shape, out=out)
                    )
                out[d] = shape[d]
    return Size(out)


# squeeze and unsqueeze.


def squeezed_dims(x: Tensor, dim: Any) -> tuple[int, ...]:
    """Which dimensions squeeze takes away: those that are named, of size 1; all of them by default."""
    shape = x._value.shape
    if dim is None:
        dims: tuple[int, ...] = tuple(range(len(shape)))
    elif isinstance(dim, (tuple, list)):
        dims = distinct_dims(tuple(dim), len(shape))
    else:
        dims = (wrap_dim(dim, len(shape)),)
    return tuple([d for d in dims if shape and shape[d] == 1])


def _squeeze(x: Tensor, dim: Any, ops: tuple, apply: Any) -> Tensor:
    shape = x._value.shape
    dims = squeezed_dims(x, dim)
    op = ops[0] if dim is None else ops[2] if isinstance(dim, (tuple, list)) else ops[1]
    t = apply(op, x, tuple([n for d, n in enumerate(shape) if d not in dims]), dims)
    if dim is None:
        return saved(t, self_sym_sizes=shape)
    shown = tuple([unsigned(d) for d in dim]) if isinstance(dim, (tuple, list)) else unsigned(dim)
    return saved(t, dim=shown, self_sym_sizes=shape)


def _view_without(op: Any, x: Tensor, shape: tuple, dims: tuple) -> Tensor:
    if not dims:
        op = UNSQUEEZED[op.name]
    value = None if isinstance(x._value, Array) else look_without(x._settle(), dims)
    return look_at(op, x, {"shape": shape}, value=value)


def _change_without(op: Any, x: Tensor, shape: tuple, dims: tuple) -> Tensor:
    value = None if isinstance(x._value, Array) else look_without(x._settle(), dims)
    return change_view(x, op, value, shape=shape)


@op(
    "squeeze",
    "(Tensor input)",
    "(Tensor input, int dim)",
    "(Tensor input, tuple of ints! dim)",
    records=(SQUEEZE, SQUEEZE_DIM, SQUEEZE_DIMS),
)
def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """A view without dimensions of size 1.

    Arguments:
        input: the tensor.
        dim: only this dimension, or these; those of other sizes stay.

    Returns:
        The view.

    Example:
        >>> from funcgrad import torch
        >>> torch.zeros(1, 3, 1).squeeze().shape
        torch.Size([3])
    """
    return _squeeze(input, dim, (SQUEEZE, SQUEEZE_DIM, SQUEEZE_DIMS), _view_without)


@op(
    "Tensor.squeeze_",
    "(Tensor input)",
    "(Tensor input, int dim)",
    "(Tensor input, tuple of ints! dim)",
    records=(SQUEEZE_, SQUEEZE_DIM_, SQUEEZE_DIMS_),
)
def squeeze_(self: Tensor, dim: Any = None) -> Tensor:
    """As `squeeze`, in place."""
    form = "" if dim is None else ".dims" if isinstance(dim, (tuple, list)) else ".dim"
    check_inplace(self, name=f"squeeze_{form}")
    return _squeeze(self, dim, (SQUEEZE_, SQUEEZE_DIM_, SQUEEZE_DIMS_), _change_without)


@op("unsqueeze", "(Tensor input, int dim)", records=(UNSQUEEZE,))
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """A view with a dimension of size 1 more.

    Arguments:
        input: the tensor.
        dim: where it is put; -1 for after the last.

    Returns:
        The view.
    """
    shape, place, value = _with_dim(input, dim)
    return saved(look_at(UNSQUEEZE, input, {"shape": shape}, value=value), dim=place)


@op("Tensor.unsqueeze_", "(Tensor input, int dim)", records=(UNSQUEEZE_,))
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """As `unsqueeze`, in place."""
    check_inplace(self, name="unsqueeze_")
    shape, place, value = _with_dim(self, dim)
    return saved(change_view(self, UNSQUEEZE_, value, shape=shape), dim=place)


def _with_dim(x: Tensor, dim: int) -> tuple[tuple, int, Any]:
    value = x._value
    shape = value.shape
    place = wrap_dim(dim, len(shape) + 1)
    look = None if isinstance(value, Array) else look_with(x._settle(), place)
    return (*shape[:place], 1, *shape[place:]), unsigned(dim), look


@functools.cache
def _one_or_several(name: str) -> Signatures:
    return Signatures(name, ("(Tensor input)", "(tuple of Tensors tensors)"))


def _each(tensors: tuple, name: str, f: Any) -> Any:
    """f of one tensor, or a tuple of what it gives for several."""
    given = _one_or_several(name).bind(tensors if len(tensors) == 1 else (tensors,), {})
    return f(given["input"]) if "input" in given else tuple([f(t) for t in given["tensors"]])


@op("atleast_1d", method=False, records=(VIEW, RESHAPE_ALIAS, UNSAFE_VIEW))
def atleast_1d(*tensors: Any) -> Any:
    """Tensors with one dimension at least."""
    return _each(tensors, "atleast_1d", lambda t: t if t._value.ndim else reshaped(t, (1,)))


@op("atleast_2d", method=False, records=(UNSQUEEZE, VIEW, RESHAPE_ALIAS, UNSAFE_VIEW))
def atleast_2d(*tensors: Any) -> Any:
    """Tensors with two dimensions at least; those of one become rows."""
    return _each(tensors, "atleast_2d", as_2d)


@op("atleast_3d", method=False, records=(VIEW, RESHAPE_ALIAS, UNSAFE_VIEW, UNSQUEEZE))
def atleast_3d(*tensors: Any) -> Any:
    """Tensors with three dimensions at least; vectors become (1, n, 1), matrices (m, n, 1)."""
    return _each(tensors, "atleast_3d", as_3d)


def as_2d(t: Tensor) -> Tensor:
    """A tensor with two dimensions at least."""
    ndim = t._value.ndim
    return t if ndim > 1 else unsqueeze(t, 0) if ndim else reshaped(t, (1, 1))


def as_3d(t: Tensor) -> Tensor:
    """A tensor with three dimensions at least."""
    ndim = t._value.ndim
    if ndim == 0:
        return reshaped(t, (1, 1, 1))
    return t if ndim > 2 else unsqueeze(t, -1) if ndim == 2 else unsqueeze(unsqueeze(t, 0), -1)
