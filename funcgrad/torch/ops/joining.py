"""Tensors put together: cat, stack and their kin, block_diag, grids, products and combinations."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array
from funcgrad.ops import structural as core
from funcgrad.torch.base.meta import channels_last, channels_last_3d
from funcgrad.torch.base.stream_text import stream_text
from funcgrad.torch.declare.op import op
from funcgrad.torch.ops.constructors import warn_of_lost_imaginary_part
from funcgrad.torch.ops.geometry import given_tensors, native_warning, saved, unsigned
from funcgrad.torch.ops.memory import copied, lies_in
from funcgrad.torch.ops.shapes import as_2d, as_3d, atleast_1d, expand, reshaped, sized_view
from funcgrad.torch.ops.view_ops import VIEW
from funcgrad.torch.tensor.levels import batch_sizes
from funcgrad.torch.tensor.operation import Operation, record
from funcgrad.torch.tensor.promotion import promoted
from funcgrad.torch.tensor.tensor import Tensor, wrap_dim
from funcgrad.torch.tensor.values import raw, wrapped
from funcgrad.torch.texts import parts as texts


class Joining(Operation):
    """Puts tensors together in new memory, with the elements in order; that of a batch under vmap, too."""

    def in_rule(self, tensors: tuple, values: list, params: dict) -> Any:
        return _laid_out(super().in_rule(tensors, values, params))


CAT = Joining(core.concatenate, "CatBackward0", operands=("tensors",))
STACK = Joining(core.stack, "StackBackward0", operands=("tensors",))


def joined(op: Operation, tensors: tuple[Tensor, ...], **params: Any) -> Tensor:
    """An operation of several tensors in their common dtype."""
    values = [raw(t) for t in tensors]
    kind = values[0].dtype
    if any(v.dtype is not kind for v in values):
        values, _ = promoted(tensors, values, "common")
    return record(op, tensors, values, params)


def _laid_out(t: Tensor, tensors: tuple = ()) -> Tensor:
    """A new tensor with its elements in order, or channels last if all tensors are; NumPy's order is another."""
    value = t._value
    if isinstance(value, Array) or value.flags.c_contiguous:
        return t
    for layout in (channels_last, channels_last_3d):
        if tensors and all(lies_in(x._value, layout) for x in tensors):
            t._value = copied(value, layout)
            return t
    t._value = np.ascontiguousarray(value)
    return t


@op(
    "cat",
    "(tuple of Tensors tensors, int dim = 0, *, Tensor out = None)",
    method=False,
    names=("concat", "concatenate"),
    records=(CAT,),
)
def cat(tensors: Any, dim: int = 0) -> Tensor:
    """Put tensors one after another along a dimension.

    Arguments:
        tensors: a tuple or list of tensors with the same sizes in all other dimensions; those of shape (0,) are passed
            over.
        dim: the dimension.

    Returns:
        A new tensor, of the common dtype.

    Raises:
        ValueError: there are no tensors.
        RuntimeError: the sizes don't fit.

    Example:
        >>> from funcgrad import torch
        >>> torch.cat([torch.tensor([1, 2]), torch.tensor([3.0])])
        tensor([1., 2., 3.])
    """
    tensors = tuple(tensors)
    dim = dim
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [t._value.shape for t in tensors]
    place, parts = _check_cat(shapes, dim), tensors
    if (0,) in shapes and max(map(len, shapes)) > 1:
        parts = tuple([t for t in tensors if t._value.shape != (0,)])
    return saved(_laid_out(joined(CAT, parts, axis=place), parts), dim=unsigned(dim))


def _check_cat(shapes: list[tuple], dim: int) -> int:
    """The dimension along which tensors of these shapes are put together, counted from the front."""
    first = shapes[0]
    if first and all(s == first for s in shapes):
        return wrap_dim(dim, len(first))
    for k, s in enumerate(shapes):
        if not s:
            raise RuntimeError(f"zero-dimensional tensor (at position {k}) cannot be concatenated")
    counted = [(k, s) for k, s in enumerate(shapes) if s != (0,)]
    first = counted[0][1]
    place = wrap_dim(dim, len(first))
    for k, s in counted:
        if len(s) != len(first):
            raise RuntimeError(texts.CAT_DIMENSIONS.format(first=len(first), other=len(s)))
        for d, (n, m) in enumerate(zip(first, s, strict=True)):
            if n != m and d != place:
                raise RuntimeError(texts.CAT_SIZES.format(dim=place, wanted=n, got=m, place=k))
    return place


@op("stack", "(tuple of Tensors tensors, int dim = 0, *, Tensor out = None)", method=False, records=(STACK,))
def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Put tensors of one shape together along a new dimension.

    Arguments:
        tensors: a tuple or list of tensors.
        dim: where the new dimension is.

    Returns:
        A new tensor, of the common dtype.

    Example:
        >>> from funcgrad import torch
        >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])], dim=1)
        tensor([[1, 3],
                [2, 4]])
    """
    dim = dim
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]._value.shape
    place = wrap_dim(dim, len(first) + 1)
    for k, t in enumerate(tensors):
        if t._value.shape != first:
            mapped = batch_sizes(tensors)
            raise RuntimeError(
                texts.STACK_SIZES.format(first=[*mapped, *first], other=[*mapped, *t._value.shape], place=k)
            )
    return saved(_laid_out(joined(STACK, tensors, axis=place)), dim=unsigned(dim))


def _some(tensors: Any, name: str) -> Any:
    if not tensors:
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


@op("hstack", "(tuple of Tensors tensors, *, Tensor out = None)", method=False, records=(CAT,))
def hstack(tensors: Any) -> Tensor:
    """Put tensors beside each other: along dimension 1, or 0 if the first has only one."""
    parts = [atleast_1d(t) for t in _some(tensors, "hstack")]
    return cat(parts, 0 if parts[0]._value.ndim == 1 else 1)


@op("vstack", "(tuple of Tensors tensors, *, Tensor out = None)", method=False, names=("row_stack",), records=(CAT,))
def vstack(tensors: Any) -> Tensor:
    """Put tensors below each other; vectors are rows."""
    return cat([as_2d(t) for t in _some(tensors, "vstack")])


@op("dstack", "(tuple of Tensors tensors, *, Tensor out = None)", method=False, records=(CAT,))
def dstack(tensors: Any) -> Tensor:
    """Put tensors behind each other, along dimension 2."""
    return cat([as_3d(t) for t in _some(tensors, "dstack")], 2)


@op("column_stack", "(tuple of Tensors tensors, *, Tensor out = None)", method=False, records=(CAT,))
def column_stack(tensors: Any) -> Tensor:
    """Put tensors beside each other; vectors are columns."""
    parts = [t if t._value.ndim > 1 else reshaped(t, (t._value.size, 1)) for t in _some(tensors, "column_stack")]
    return cat(parts, 1)


def _block_diag(*xs: Any) -> Any:
    matrices = [x.reshape((1,) * (2 - x.ndim) + tuple(x.shape)) for x in xs]
    width, left, rows = sum(m.shape[1] for m in matrices), 0, []
    for m in matrices:
        n, k = m.shape
        sides = np.zeros((n, left), m.dtype), np.zeros((n, width - left - k), m.dtype)
        rows.append(fnp.concatenate([sides[0], m, sides[1]], axis=1))
        left += k
    return fnp.concatenate(rows, axis=0)


BLOCK_DIAG = Operation(_block_diag, "BlockDiagBackward0", operands=("tensors",), saves=())


@op("block_diag", method=False, records=(BLOCK_DIAG,))
def block_diag(*tensors: Any) -> Tensor:
    """The matrix with these matrices (vectors are rows) along its diagonal and zeros elsewhere."""
    tensors = given_tensors(tensors)
    if not tensors:
        return wrapped(np.zeros((1, 0), np.float32))
    for k, t in enumerate(tensors):
        if t._value.ndim > 2:
            raise RuntimeError(texts.BLOCK_DIAG_DIMENSIONS.format(place=k, ndim=t._value.ndim))
    return joined(BLOCK_DIAG, tensors)


# Grids.


def grids(tensors: tuple[Tensor, ...], indexing: str | None) -> tuple[Tensor, ...]:
    """As `meshgrid`, of a tuple."""
    if indexing is None:
        text = texts.MESHGRID_INDEXING_REQUIRED
        native_warning(text, 4215, 3)
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(texts.MESHGRID_INDEXING.format(indexing=indexing))
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for t in tensors:
        if t._value.ndim > 1:
            if t.dtype.is_complex:
                warn_of_lost_imaginary_part()
            text = stream_text(t._concrete(), t.dtype)
            raise RuntimeError(texts.MESHGRID_DIMENSIONS.format(tensor=text))
    places = list(range(len(tensors)))
    if indexing == "xy" and len(tensors) > 1:
        places[:2] = 1, 0
    shape = [0] * len(tensors)
    for t, place in zip(tensors, places, strict=True):
        shape[place] = t._value.size
    out = []
    for t, place in zip(tensors, places, strict=True):
        one = [1] * len(tensors)
        one[place] = t._value.size
        out.append(expand(sized_view(VIEW, t, tuple(one)), tuple(shape)))
    return tuple(out)


@op("meshgrid", method=False, records=(VIEW,))
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """For each vector its values over the grid that all of them span; views.

    Arguments:
        tensors: vectors (or numbers as 0-d tensors) of one dtype, as several arguments or as a list.
        indexing: "ij": the first vector varies along the first dimension; "xy": along the second, as for pictures.

    Returns:
        A tuple of expanded views.
    """
    return grids(given_tensors(tensors), indexing)


def _need_vector(t: Tensor) -> None:
    if t._value.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._value.shape)}")


@op("cartesian_prod", method=False, records=(STACK, VIEW))
def cartesian_prod(*tensors: Any) -> Tensor:
    """All tuples of one element of each vector, as rows."""
    tensors = given_tensors(tensors)
    for t in tensors:
        _need_vector(t)
    if len(tensors) == 1:
        return tensors[0]
    return stack([t.flatten() for t in grids(tensors, "ij")], 1)


@op("combinations", "(Tensor input, int r = 2, bool with_replacement = False)", method=False, records=(VIEW, STACK))
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All choices of r elements of a vector, as rows.

    Arguments:
        input: the vector.
        r: how many are chosen.
        with_replacement: whether an element can be chosen several times.

    Returns:
        A new tensor of r columns.

    Example:
        >>> from funcgrad import torch
        >>> torch.combinations(torch.tensor([1, 2, 3]))
        tensor([[1, 2],
                [1, 3],
                [2, 3]])
    """
    r = r
    _need_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrapped(np.empty(0, input._value.dtype))
    n = input._value.size
    places = np.meshgrid(*[np.arange(n)] * r, indexing="ij")
    mask = np.ones((n,) * r, bool)
    for a, b in pairwise(places):
        mask &= a <= b if with_replacement else a < b
    chosen = wrapped(mask)
    return stack([g.masked_select(chosen) for g in grids((input,) * r, "ij")], 1)
