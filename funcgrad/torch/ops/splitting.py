"""Parts of a tensor, as views: select, narrow, diagonal, unfold, and what splits it into several."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.ops import structural as core
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.declare.op import namespaces, op
from funcgrad.torch.declare.signatures import Signatures
from funcgrad.torch.ops.geometry import saved, unsigned
from funcgrad.torch.ops.view_ops import DIAGONAL, SELECT, SLICE, UNFOLD
from funcgrad.torch.tensor.journal import journal, unrecorded
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.operation import Operation, link_many, through
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import requires
from funcgrad.torch.tensor.views import DEFAULT, MULTI_OUTPUT, as_view_of, share
from funcgrad.torch.texts import indexing as indexing_texts
from funcgrad.torch.texts import parts as texts

# One part.


def selection(x: Tensor, dim: Any, index: Any) -> tuple:
    """The index that takes one place of a dimension.

    Raises:
        IndexError: there is no such dimension or place.
    """
    shape = x._value.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d, i = wrap_dim(dim, len(shape)), index
    n = shape[d]
    if not -n <= i < n:
        raise IndexError(texts.SELECT_OUT_OF_RANGE.format(index=i, shape=list(shape), dim=d))
    return (*(slice(None),) * d, i + n if i < 0 else i, ...)


@op("select", "(Tensor input, int dim, int index)", records=(SELECT,))
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of one place of a dimension, which the view does not have any more.

    Arguments:
        input: the tensor.
        dim: the dimension.
        index: the place.

    Returns:
        The view.

    Raises:
        IndexError: there is no such place.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor([[1, 2], [3, 4]]).select(1, 0)
        tensor([1, 3])
    """
    t = SELECT(input, index=selection(input, dim, index))
    return saved(t, dim=unsigned(dim), index=unsigned(index), self_sym_sizes=input._value.shape)


def part(x: Tensor, axis: int, start: int, end: int, dim: int | None = None) -> Tensor:
    """The view of the places from start to before end of a dimension; `dim` is what its caller called the dimension."""
    t = SLICE(x, index=(*(slice(None),) * axis, slice(start, end, 1)))
    shown = axis if dim is None else unsigned(dim)
    return saved(t, dim=shown, start=unsigned(start), end=unsigned(end), step=1, self_sym_sizes=x._value.shape)


def narrowed(x: Tensor, dim: Any, start: Any, length: Any) -> tuple[int, int, int]:
    """The arguments of narrow, checked, counted from the front.

    Raises:
        RuntimeError, IndexError: the places are not there.
    """
    shape = x._value.shape
    if isinstance(start, Tensor) and (start._value.ndim or start._value.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start = int(start)
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, len(shape))
    n = shape[dim]
    if not -n <= start <= n:
        raise IndexError(texts.NARROW_START.format(low=-n, high=n, start=start))
    if start < 0:
        start += n
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return dim, start, length


@op(
    "narrow",
    "(Tensor input, int dim, Tensor start, int length)",
    "(Tensor input, int dim, int start, int length)",
    records=(SLICE,),
)
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A view of `length` places of a dimension from `start` on.

    Arguments:
        input: the tensor.
        dim: the dimension.
        start: the first place, an int or a tensor of one.
        length: how many.

    Returns:
        The view.

    Raises:
        RuntimeError, IndexError: the dimension has no such places.
    """
    axis, start, length = narrowed(input, dim, start, length)
    return part(input, axis, start, start + length, dim)


def diagonal_params(x: Tensor, offset: Any, dim1: Any, dim2: Any, extra: int = 0) -> dict:
    """The arguments of diagonal, checked; `extra` is how many dimensions the tensor with the diagonal has more.

    Raises:
        RuntimeError, IndexError: there are no such dimensions, or they are one.
    """
    ndim = x._value.ndim + extra
    a, b = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return {"offset": offset, "axis1": a, "axis2": b}


@op("diagonal", "(Tensor input, int offset = 0, int dim1 = 0, int dim2 = 1)", records=(DIAGONAL,))
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A view of the diagonal with respect to two dimensions, as a new last dimension.

    Arguments:
        input: the tensor.
        offset: how far above (or, negative, below) the main diagonal.
        dim1, dim2: the dimensions.

    Returns:
        The view.
    """
    t = DIAGONAL(input, **diagonal_params(input, offset, dim1, dim2))
    sizes = input._value.shape
    return saved(t, offset=unsigned(offset), dim1=unsigned(dim1), dim2=unsigned(dim2), self_sym_sizes=sizes)


def unfold_params(x: Tensor, dimension: Any, size: Any, step: Any) -> dict:
    """The arguments of unfold, checked.

    Raises:
        RuntimeError, IndexError: there is no such dimension, or it is too short.
    """
    shape = x._value.shape
    dim = wrap_dim(dimension, len(shape))
    n = shape[dim] if shape else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return {"dimension": dim, "size": size, "step": step}


@op("Tensor.unfold", "(Tensor input, int dimension, int size, int step)", records=(UNFOLD,))
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A view of all windows of `size` places of a dimension, one every `step` places, as a new last dimension.

    Example:
        >>> from funcgrad import torch
        >>> torch.arange(5).unfold(0, 3, 2)
        tensor([[0, 1, 2],
                [2, 3, 4]])
    """
    params = unfold_params(input, dimension, size, step)
    t = UNFOLD(input, **params)
    return saved(t, dimension=unsigned(dimension), size=size, step=step, self_sym_sizes=input._value.shape)


# Several parts at once.


class SplittingOperation(Operation):
    """An operation whose results are views of parts of its operand."""

    __slots__ = ()

    def in_rule(self, args: tuple, values: list, params: dict) -> Any:
        (x,) = args
        if not isinstance(x, Tensor) or x._value is not values[0] or isinstance(values[0], Array):
            return super().in_rule(args, values, params)
        before = (slice(None),) * params["axis"]
        if "ends" in params:
            indices = [(*before, slice(a, b)) for a, b in pairwise((0, *params["ends"]))]
        else:
            indices = [(*before, i, ...) for i in range(values[0].shape[params["axis"]])]
        return views(self, x, indices, {}, **params)


UNBIND = SplittingOperation(core.unstack, "UnbindBackward0", operands=("self",), again=True)
SPLIT = SplittingOperation(core.split, "SplitBackward0", operands=("self",), again=True)
SPLIT_WITH_SIZES = SplittingOperation(core.split, "SplitWithSizesBackward0", operands=("self",))
UNSAFE_SPLIT = Operation(core.split, "UnsafeSplitBackward0", operands=("self",))
UNSAFE_SPLIT_WITH_SIZES = Operation(core.split, "UnsafeSplitWithSizesBackward0", operands=("self",))


def views(op: Operation, x: Tensor, indices: list[tuple], shown: dict, **params: Any) -> tuple[Tensor, ...]:
    """The views at some indices, which one node made; autograd forbids to write into them."""
    if not indices:
        return ()
    traced = isinstance(x._value, Array)
    if traced:
        values = through(op, (x._value,), params)
    else:
        values = [SELECT.look(x._settle(), index=i) for i in indices]
    results = tuple([share(x, v) for v in values])
    for k, t in enumerate(results):
        again = (lambda b, k=k: views(op, b, indices, shown, **params)[k]) if traced else None
        as_view_of(t, x, again, MULTI_OUTPUT if state.grad else DEFAULT)
    if state.grad and requires(x) and not x._inference:
        recording = op.recordings[(True,)]
        if x._value.dtype.kind == "c":
            recording = recording.conjugated
        link_many(op, recording, (x,), (x._value,), params, tuple(values), None, results)
        if shown:
            saved(results[0], **shown)
    elif journal.on and x._entry:
        unrecorded(op.name, (x,), results)
    if x._tangent is not None and state.forward_grad:
        for t, tangent in zip(results, views(op, x._tangent, indices, shown, **params), strict=True):
            give_tangent(t, tangent)
    return results


@op("unbind", "(Tensor input, int dim = 0)", records=(SELECT, UNBIND))
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All places of a dimension, each a view without it.

    Arguments:
        input: the tensor.
        dim: the dimension.

    Returns:
        A tuple of views.
    """
    before, n, axis = unbound(input, dim)
    return views(UNBIND, input, [(*before, i, ...) for i in range(n)], {"dim": unsigned(dim)}, axis=axis)


def shown_by_all(tensors: tuple[Tensor, ...], **values: Any) -> tuple[Tensor, ...]:
    """Tensors that one node made, which shows these values as `_saved_...`."""
    saved(tensors[0], **values)
    return tensors


def unbound(x: Tensor, dim: Any) -> tuple[tuple, int, int]:
    """For unbind: full slices of the dimensions before, how many places there are, and the dimension."""
    shape = x._value.shape
    axis = wrap_dim(dim, len(shape))
    if not shape:
        raise IndexError(indexing_texts.NO_DIMENSIONS.format(dim=axis))
    return (slice(None),) * axis, shape[axis], axis


def even_ends(x: Tensor, split_size: int, dim: Any) -> tuple[tuple[int, ...], int]:
    """Where the parts of `split_size` places end, of which the last may be smaller, and the dimension.

    Raises:
        RuntimeError, IndexError: it can't be split so.
    """
    shape = x._value.shape
    if not shape:
        raise RuntimeError(texts.SPLIT_NO_DIMENSIONS)
    if split_size < 0:
        raise RuntimeError(texts.SPLIT_SIZE_NEGATIVE.format(size=split_size))
    axis = wrap_dim(dim, len(shape))
    n = shape[axis]
    if split_size == 0 and n:
        raise RuntimeError(texts.SPLIT_SIZE_ZERO.format(n=n))
    return (*range(split_size, n, split_size or 1), n), axis


def given_ends(x: Tensor, split_sizes: Any, dim: Any) -> tuple[tuple[int, ...], int]:
    """Where parts of these sizes end, and the dimension.

    Raises:
        RuntimeError, IndexError: it can't be split so.
    """
    shape = x._value.shape
    sizes = tuple(split_sizes)
    if not shape:
        raise RuntimeError(texts.SPLIT_NO_DIMENSIONS)
    axis = wrap_dim(dim, len(shape))
    if any(s < 0 for s in sizes):
        raise RuntimeError(texts.SPLIT_SIZES_NEGATIVE.format(sizes=list(sizes)))
    if sum(sizes) != shape[axis]:
        raise RuntimeError(texts.SPLIT_SIZES_SUM.format(n=shape[axis], dim=dim, sizes=list(sizes)))
    return tuple(np.cumsum(sizes, dtype=int).tolist()), axis


def _parts(op: Operation, x: Tensor, ends: tuple, axis: int, shown: dict) -> tuple[Tensor, ...]:
    before = (slice(None),) * axis
    indices = [(*before, slice(a, b)) for a, b in pairwise((0, *ends))]
    return views(op, x, indices, shown | {"self_sym_sizes": x._value.shape}, ends=ends, axis=axis)


@op("split", method=False)
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dimension into parts, which are views.

    Arguments:
        tensor: the tensor.
        split_size_or_sections: the size of every part (the last may be smaller), or a list of their sizes.
        dim: the dimension.

    Returns:
        A tuple of views.

    Example:
        >>> from funcgrad import torch
        >>> torch.split(torch.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    return tensor.split(split_size_or_sections, dim)


_SPLIT = Signatures(
    "split", ("(Tensor input, int split_size, int dim = 0)", "(Tensor input, tuple of ints! split_size, int dim = 0)")
)


@op("Tensor.split", records=(SPLIT,))
def _split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dimension into parts of one size, or of a list of sizes; they are views."""
    if isinstance(split_size, Tensor) and split_size._value.size == 1:
        split_size = int(split_size)
    if not isinstance(split_size, int):
        return namespaces[""]["split_with_sizes"](self, split_size, dim)  # which compares the arguments
    if type(split_size) is not int or type(dim) is not int:
        split_size, dim = list(_SPLIT.bind((self, split_size, dim), {}).values())[1:]
    return _split(self, split_size, dim)


def _split(input: Tensor, split_size: int, dim: int) -> tuple[Tensor, ...]:
    ends, axis = even_ends(input, split_size, dim)
    return _parts(SPLIT, input, ends, axis, {"split_size": split_size, "dim": unsigned(dim)})


@op("split_with_sizes", "(Tensor input, tuple of ints! split_sizes, int dim = 0)", records=(SELECT, SPLIT_WITH_SIZES))
def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dimension into parts of these sizes, which are views."""
    ends, axis = given_ends(input, split_sizes, dim)
    return _parts(SPLIT_WITH_SIZES, input, ends, axis, {"split_sizes": tuple(split_sizes), "dim": unsigned(dim)})


def _chunk_size(x: Tensor, chunks: Any, dim: Any) -> tuple[int, int]:
    """The size of the chunks, and how many there are to be."""
    shape = x._value.shape
    chunks = chunks
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    return -(-shape[wrap_dim(dim, len(shape))] // chunks), chunks


@op("chunk", "(Tensor input, int chunks, int dim = 0)", records=(SPLIT, SPLIT_WITH_SIZES))
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dimension into at most so many parts of one size (the last may be smaller), which are views."""
    size, chunks = _chunk_size(input, chunks, dim)
    return _split(input, size, dim) if size else split_with_sizes(input, [0] * chunks, dim)


@op("unsafe_split", "(Tensor input, int split_size, int dim = 0)", records=(UNSAFE_SPLIT,))
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As `split`, but for autograd the parts are no views, so that it does not watch what is written into them."""
    ends, axis = even_ends(input, split_size, dim)
    return shown_by_all(
        UNSAFE_SPLIT(input, ends=ends, axis=axis),
        split_size=split_size,
        dim=unsigned(dim),
        self_sym_sizes=input._value.shape,
    )


@op(
    "unsafe_split_with_sizes",
    "(Tensor input, tuple of ints! split_sizes, int dim = 0)",
    records=(UNSAFE_SPLIT_WITH_SIZES,),
)
def unsafe_split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """As `split_with_sizes`, but for autograd the parts are no views."""
    ends, axis = given_ends(input, split_sizes, dim)
    return shown_by_all(
        UNSAFE_SPLIT_WITH_SIZES(input, ends=ends, axis=axis),
        split_sizes=tuple(split_sizes),
        dim=unsigned(dim),
        self_sym_sizes=input._value.shape,
    )


@op("unsafe_chunk", "(Tensor input, int chunks, int dim = 0)", records=(UNSAFE_SPLIT, UNSAFE_SPLIT_WITH_SIZES))
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """As `chunk`, but for autograd the parts are no views."""
    size, chunks = _chunk_size(input, chunks, dim)
    return unsafe_split(input, size, dim) if size else unsafe_split_with_sizes(input, [0] * chunks, dim)


# tensor_split and its kin, whose parts are slices that may be written into.


@op(
    "tensor_split",
    "(Tensor input, tuple of ints! indices, int dim = 0)",
    "(Tensor input, Tensor tensor_indices_or_sections, int dim = 0)",
    "(Tensor input, int sections, int dim = 0)",
    records=(SLICE,),
)
def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split a dimension into parts, which are views.

    Arguments:
        input: the tensor.
        indices_or_sections: the number of parts, or a list or tensor of the places where a new one begins.
        dim: the dimension.

    Returns:
        A tuple of views.

    Example:
        >>> from funcgrad import torch
        >>> torch.tensor_split(torch.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """
    where = indices_or_sections
    shape = input._value.shape
    if not shape:
        raise RuntimeError(texts.TENSOR_SPLIT_NO_DIMENSIONS)
    if isinstance(where, Tensor):
        where = _places(where)
    axis = wrap_dim(dim, len(shape))
    n = shape[axis]
    if isinstance(where, (tuple, list)):
        return tuple([part(input, axis, a, b) for a, b in pairwise((0, *where, n))])
    if where <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {where}")
    size, extra = divmod(n, where)
    starts = [k * size + min(k, extra) for k in range(where + 1)]
    return tuple([part(input, axis, a, b) for a, b in pairwise(starts)])


def _places(where: Tensor) -> Any:
    """The number of sections or the list of indices that a tensor holds."""
    value = where._value
    if value.dtype != np.int64:
        raise RuntimeError(texts.TENSOR_SPLIT_DTYPE.format(dtype=where.dtype.title))
    if value.ndim > 1:
        raise RuntimeError(texts.TENSOR_SPLIT_PLACES_DIMENSIONS.format(ndim=value.ndim))
    return where.tolist()


def _split_along(x: Tensor, where: Any, dim: int, name: str) -> tuple[Tensor, ...]:
    """tensor_split, where a number of parts has to divide the size."""
    if not isinstance(where, (tuple, list)):
        count, n = where, x._value.shape[dim]
        if count <= 0 or n % count:
            raise RuntimeError(texts.SPLIT_NOT_DIVISIBLE.format(name=name, dim=dim, n=n, count=count))
    return tensor_split(x, where, dim)


def _need_dims(x: Tensor, least: int, name: str) -> None:
    ndim = x._value.ndim
    if ndim < least:
        raise RuntimeError(texts.SPLIT_DIMENSIONS.format(name=name, least=least, ndim=ndim))


@op("hsplit", "(Tensor input, int sections)", "(Tensor input, tuple of ints! indices)")
def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """As `tensor_split`, of columns: along dimension 1, or 0 if there is only one."""
    _need_dims(input, 1, "hsplit")
    return _split_along(input, indices_or_sections, 1 if input._value.ndim > 1 else 0, "hsplit")


@op("vsplit", "(Tensor input, int sections)", "(Tensor input, tuple of ints! indices)")
def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """As `tensor_split`, of rows: along dimension 0."""
    _need_dims(input, 2, "vsplit")
    return _split_along(input, indices_or_sections, 0, "vsplit")


@op("dsplit", "(Tensor input, int sections)", "(Tensor input, tuple of ints! indices)")
def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """As `tensor_split`, along dimension 2."""
    _need_dims(input, 3, "dsplit")
    return _split_along(input, indices_or_sections, 2, "dsplit")


# Iterating.


@member_of(Tensor, "__iter__")
def _iter(self: Tensor) -> Iterator[Tensor]:
    if not self._value.ndim:
        raise TypeError("iteration over a 0-d tensor")
    return iter(unbind(self, 0))


@member_of(Tensor, "__contains__")
def _contains(self: Tensor, element: Any) -> bool:
    """Whether some element equals a number or tensor, which broadcasts."""
    if isinstance(element, (Tensor, bool, int, float, complex, np.number)):
        same: Any = element == self
        return bool(same.any().item())
    raise RuntimeError(texts.CONTAINS_OTHERS.format(kind=type(element)))
