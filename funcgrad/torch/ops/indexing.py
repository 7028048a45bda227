"""`x[index]` and `x[index] = value`.

Integers, slices, None and Ellipsis make a chain of views, one node for each; then tensors of indices and masks, and
whatever becomes one (lists, ranges, ndarrays), read or write what is left, all at once.
https://docs.pytorch.org/docs/stable/tensor_view.html, https://docs.pytorch.org/cppdocs/notes/tensor_indexing.html
"""

from __future__ import annotations

import sys
import warnings
from operator import index as as_int
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.torch.base.dtypes import float64, of_numpy
from funcgrad.torch.declare.arguments import fitted, type_name
from funcgrad.torch.ops.advanced_indexing import put_by, read_by
from funcgrad.torch.ops.constructors import tensor
from funcgrad.torch.ops.filling import copy_into, fill_
from funcgrad.torch.ops.geometry import saved, unsigned
from funcgrad.torch.ops.view_ops import ALIAS, SELECT, SLICE
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.tensor.views import view
from funcgrad.torch.texts import arguments as arguments_texts
from funcgrad.torch.texts import indexing as texts

_ALL = slice(None)


@member_of(Tensor, "__getitem__")
def getitem(self: Any, index: Any) -> Any:
    """`self[index]`."""
    kind = type(index)
    if kind is int:
        return select(self, 0, index, 0)
    if kind is slice:
        return slice_(self, 0, *_unpacked(index))
    if index is None:
        return self.unsqueeze(0)
    if index is Ellipsis:
        return saved(ALIAS(self, shape=self._value.shape))
    if isinstance(index, np.integer):
        return select(self, 0, int(index), 0)
    part, indices = _basic(self, index if kind is tuple else _as_tuple(index))
    if indices:
        return read_by(part, indices)
    return saved(ALIAS(self, shape=self._value.shape)) if part is self else part


@member_of(Tensor, "__setitem__")
def setitem(self: Any, index: Any, value: Any) -> None:
    """`self[index] = value`."""
    if not isinstance(value, Tensor):
        value = _value_tensor(self, value)
    kind = type(index)
    if kind is int:
        _copy_to(select(self, 0, index, 0), value)
    elif kind is slice:
        _copy_to(_slice_or_self(self, 0, index), value)
    elif isinstance(index, np.integer):
        _copy_to(select(self, 0, int(index), 0), value)
    elif index is None or index is True:
        _copy_to(self.unsqueeze(0), value)
    elif index is Ellipsis:
        _copy_to(self, value)
    elif index is not False:
        part, indices = _basic(self, index if kind is tuple else _as_tuple(index))
        if indices:
            shape = value._value.shape
            trimmed = _without_leading_ones(shape)
            put_by(part, indices, value if trimmed == shape else value.view(trimmed), False, inplace=True)
        else:
            _copy_to(part, value)


@member_of(Tensor, "__delitem__")
def delitem(self: Any, index: Any) -> None:
    """Elements can't be deleted."""
    raise TypeError("Tensor does not support deleting items")


# Basic indexing.


def select(x: Any, dim: int, i: int, place: int) -> Any:
    """The view of x at i along a dimension; place is where in the index i stands, for the error message."""
    shape = x._value.shape
    if not shape:
        if i == 0:
            raise IndexError(texts.INDEX_OF_NUMBER)
        raise IndexError(texts.OUT_OF_BOUNDS.format(index=_checked_int(i), dim=place, n=0))
    n = shape[dim]
    if not -n <= i < n:
        raise IndexError(texts.OUT_OF_BOUNDS.format(index=_checked_int(i), dim=place, n=n))
    t = _look(SELECT, x, (*(_ALL,) * dim, i, Ellipsis))
    node = t._node
    if node is not None:
        node.params = {"dim": dim, "index": unsigned(i), "self_sym_sizes": shape}
    return t


def _look(op: Any, x: Any, index: tuple) -> Any:
    found = x._value[index] if type(x._value) is ndarray else None
    return view(op, x, {"index": index}, value=None if found is None or not found.size else found)


def slice_(x: Any, dim: int, start: int, stop: int, step: int) -> Any:
    """The view of x from start to stop along a dimension."""
    shape = x._value.shape
    if not shape:
        raise IndexError(texts.SLICE_NO_DIMENSIONS)
    t = _look(SLICE, x, (*(_ALL,) * dim, slice(start, stop, step)))
    return saved(t, dim=dim, start=unsigned(start), end=unsigned(stop), step=step, self_sym_sizes=shape)


def _slice_or_self(x: Any, dim: int, s: slice) -> Any:
    """As `slice_`, but a slice that takes everything makes no view."""
    start, stop, step = _unpacked(s)
    shape = x._value.shape
    if shape and start == 0 and step == 1 and stop >= shape[dim]:
        return x
    return slice_(x, dim, start, stop, step)


def _unpacked(s: slice) -> tuple[int, int, int]:
    """Start, stop and step of a slice."""
    try:
        step = 1 if s.step is None else as_int(s.step)
        if step == 0:
            raise ValueError("slice step cannot be zero")
        if step < 0:
            raise ValueError("step must be greater than zero")
        start = 0 if s.start is None else as_int(s.start)
        stop = sys.maxsize if s.stop is None else as_int(s.stop)
    except TypeError:
        raise TypeError("slice indices must be integers or None or have an __index__ method") from None
    return start, min(stop, sys.maxsize), step


def _checked_int(i: int) -> int:
    if not -(1 << 63) <= i < 1 << 63:
        raise ValueError(arguments_texts.TOO_LARGE)
    return i


def _basic(x: Any, index: tuple) -> tuple[Any, list]:
    """Carry out the basic part of an index.

    Gives the view, and a list of the tensors of indices that are left for its first dimensions, with None in between.
    """
    specified = sum([_dimensions(e) for e in index])
    ndim = x._value.ndim
    if specified > ndim:
        raise IndexError(texts.TOO_MANY_INDICES.format(ndim=ndim))
    part, dim, found = x, 0, {}
    for place, e in enumerate(index):
        kind = type(e)
        if kind is int:
            part = select(part, dim, e, place)
        elif kind is slice:
            part = _slice_or_self(part, dim, e)
            dim += 1
        elif e is Ellipsis:
            dim += ndim - specified
        elif e is None:
            part = part.unsqueeze(dim)
            dim += 1
        elif kind is bool:
            part = part.unsqueeze(dim)
            found[dim] = _of_bool(e)
            dim += 1
        elif isinstance(e, np.integer):
            part = select(part, dim, int(e), place)
        else:
            t = e if isinstance(e, Tensor) else _index_tensor(e)
            value = t._value
            if value.ndim or value.dtype.kind not in "iub" or isinstance(value, Array):
                found[dim] = t
                dim += _dimensions(t)
            elif value.dtype.kind != "b" and value.dtype != np.uint8:
                part = select(part, dim, t.item(), place)
            else:
                part = part.unsqueeze(dim)
                found[dim] = _of_bool(t.item())
                dim += 1
    return part, _in_line(found)


def _in_line(found: dict[int, Any]) -> list:
    """Tensors of indices by dimension as a list, with None for the dimensions that none of them is about."""
    line: list[Any] = []
    dim = 0
    for d, t in found.items():
        line += [None] * (d - dim) + [t]
        dim = d + _dimensions(t)
    return line


def _dimensions(e: Any) -> int:
    """How many dimensions an entry of an index stands for."""
    if isinstance(e, Tensor):
        kind = e._value.dtype
        return e._value.ndim if kind.kind == "b" or kind == np.uint8 else 1
    return 0 if e is None or e is Ellipsis or e is True or e is False else 1


def _of_bool(b: Any) -> Any:
    """The indices of a new dimension that stand for True (its only place) or False (none)."""
    return wrapped(np.zeros(1 if b else 0, np.int64))


# What counts as an index.


def _is_sequence(e: Any) -> bool:
    return isinstance(e, (list, tuple, range, ndarray, str, bytes, bytearray)) or (
        hasattr(type(e), "__getitem__") and not isinstance(e, (dict, np.generic))
    )


def _as_tuple(index: Any) -> tuple:
    """An index that is no tuple, as a tuple: sequences that hold more than numbers count as one, with a warning."""
    if isinstance(index, (Tensor, ndarray)) or not _is_sequence(index):
        return index if isinstance(index, tuple) else (index,)
    if isinstance(index, tuple):
        return tuple(index)
    if len(index) < 32 and not isinstance(index, range):
        for e in index:
            if isinstance(e, (Tensor, slice)) or _is_sequence(e):
                line = 349
            elif e is Ellipsis or e is None:
                line = 359
            else:
                continue
            warnings.warn(texts.SEQUENCE_AS_TUPLE.format(line=line), UserWarning, stacklevel=3)
            return tuple(index)
    return (index,)


def _index_tensor(e: Any) -> Any:
    """A sequence as a tensor of indices: of bool or uint8 if that is what it holds, else of int64.

    Raises:
        IndexError, TypeError, ValueError: it is none, or not one of numbers.
    """
    if not _is_sequence(e):
        try:
            return wrapped(np.array(as_int(e)))
        except TypeError:
            raise IndexError(texts.NO_INDEX.format(kind=type_name(e))) from None
    if isinstance(e, ndarray):
        of_numpy(e.dtype)  # raises for what torch has not
        value = e
    elif isinstance(e, (str, bytes)):
        raise TypeError(texts.NO_DTYPE.format(kind=type(e).__name__))
    else:
        value = _array_of(list(e) if isinstance(e, bytearray) else e)
    if value.dtype.kind == "b" or value.dtype == np.uint8:
        return wrapped(value.copy() if value is e else value)
    return wrapped(value.astype(np.int64))


def _array_of(e: Any) -> ndarray:
    try:
        value = np.array(e)
    except ValueError:  # rows of several lengths: torch.tensor has the words for it
        return _converted(e)
    return value if value.dtype.kind in "biuf" else _converted(e)


def _converted(e: Any) -> ndarray:
    for x in _leaves(e):
        if isinstance(x, int):
            _checked_int(x)
        elif isinstance(x, complex):
            raise TypeError(arguments_texts.COMPLEX_INDEX)
        elif isinstance(x, (str, bytes)):
            raise TypeError(texts.NO_DTYPE.format(kind=type(x).__name__))
    return tensor(e)._value


def _leaves(e: Any) -> Any:
    if isinstance(e, (list, tuple)):
        for x in e:
            yield from _leaves(x)
    else:
        yield e


# Writing.


def _value_tensor(x: Any, value: Any) -> Any:
    """A Python number as a tensor of x's dtype."""
    if isinstance(value, (int, np.integer)):
        value = _checked_int(int(value))
    elif not isinstance(value, (float, complex)):
        raise TypeError(f"can't assign a {type_name(value)} to a {x.dtype.tensor_type}")
    if x.dtype.name in ("float16", "bfloat16"):  # by way of a double, which overflows to infinity
        return wrapped(fitted(value, float64).astype(x._value.dtype))
    return wrapped(fitted(value, x.dtype))


def _copy_to(part: Any, value: Any) -> None:
    """Write a value into a view."""
    shape, given = part._value.shape, value._value.shape
    if shape == given:
        copy_into(part, value, 5)
    elif not given:
        fill_(part, value)
    else:
        trimmed = _without_leading_ones(given)
        v = value.view(trimmed)
        copy_into(part, v if trimmed == shape else v.expand(shape), 5)


def _without_leading_ones(shape: tuple) -> tuple:
    k = 0
    while k < len(shape) and shape[k] == 1:
        k += 1
    return tuple(shape[k:])
