"""Updated copies of immutable arrays: `x.at[i].set(v)` and its kin, with JAX's names, and `put_along_axis`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError, NoValueError
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, wrap
from funcgrad.numpy.indexing import index as getitem
from funcgrad.numpy.indexing import normalize_index
from funcgrad.numpy.shapes import broadcast_to, ravel, reshape
from funcgrad.numpy.sized import missing
from funcgrad.numpy.writing import write
from funcgrad.ops import index as ops
from funcgrad.ops.segments import running_products

__all__ = ["put_along_axis"]


Mode: TypeAlias = str | None


class At:
    """What `x.at` is: `x.at[i]` names a part of x, and its methods give updated copies of x.

    Example:
        >>> x = fnp.array([1.0, 2.0, 3.0])
        >>> x.at[0].set(10.0)
        Array([10.,  2.,  3.], dtype=float64)
        >>> x.at[fnp.array([0, 0])].add(1.0)
        Array([3., 2., 3.], dtype=float64)
        >>> x
        Array([1., 2., 3.], dtype=float64)

    Source: jax.numpy.ndarray.at (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.ndarray.at.html).
    """

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __getitem__(self, index: Any) -> Update:
        return Update(self.array, index)

    def __repr__(self) -> str:
        return f"At({self.array!r})"


class Update:
    """A part of an array, `x.at[i]`. Every method but `get` gives a copy of x in which that part is changed.

    Values broadcast to the part and are cast to the dtype of x; a cast that would lose a fraction or an imaginary part
    is an error. Where an integer array names an element several times, each time counts, and of several values that are
    set the last one. The methods take four options by keyword:

        mode: what an integer out of bounds does. By default it raises IndexError; "clip" takes the first or the last
            element, "drop" and "fill" do not write there. "promise_in_bounds" asks for no error: where the promise is
            broken, `get` does as "clip" and the other methods as "drop".
        unique_indices: a promise that no element is named twice, which saves work.
        indices_are_sorted: without effect; JAX has it.
        wrap_negative_indices: whether negative integers count from the end. If not they are out of bounds.
    """

    __slots__ = ("array", "index")

    def __init__(self, array: Array, index: Any) -> None:
        self.array, self.index = array, index

    def __repr__(self) -> str:
        return f"At({self.array!r})[{self.index!r}]"

    def get(
        self,
        *,
        mode: Mode = None,
        fill_value: Any = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i]`; in mode "fill" or "drop" an index out of bounds gives fill_value.

        By default that is NaN, of integers the least or (unsigned) the greatest, of booleans True.
        """
        fill = missing(self.array.dtype) if fill_value is None else fill_value
        mode = "clip" if mode == "promise_in_bounds" else mode
        place = _Place(self.array, self.index, mode, wrap_negative_indices, fill)
        return getitem(place.x, place.index)

    def set(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] = values`"""
        return self._write(ops.index_set, lambda old, new: new, _value(values, self.array), mode, wrap_negative_indices)

    def add(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] += values`"""
        return self._write(ops.index_add, np.add, _value(values, self.array), mode, wrap_negative_indices)

    def subtract(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] -= values`"""
        with np.errstate(over="ignore"):  # unsigned integers count around, and that is right
            negative = np.negative(_value(values, self.array))
        return self._write(ops.index_add, np.add, negative, mode, wrap_negative_indices)

    def multiply(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] *= values`"""
        return self._combine(np.multiply, values, mode, unique_indices, wrap_negative_indices)

    mul = multiply

    def divide(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] /= values`"""
        return self._combine(np.divide, values, mode, unique_indices, wrap_negative_indices)

    def power(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] **= values`"""
        return self._combine(np.power, values, mode, unique_indices, wrap_negative_indices)

    def min(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] = minimum(x[i], values)`"""
        return self._write(ops.index_min, np.minimum, _value(values, self.array), mode, wrap_negative_indices)

    def max(
        self,
        values: ArrayLike,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] = maximum(x[i], values)`"""
        return self._write(ops.index_max, np.maximum, _value(values, self.array), mode, wrap_negative_indices)

    def apply(
        self,
        func: Callable,
        *,
        mode: Mode = None,
        unique_indices: bool = False,
        indices_are_sorted: bool = False,
        wrap_negative_indices: bool = True,
    ) -> Shaped[Array, "..."]:
        """`x[i] = func(x[i])` for an elementwise function; an element that is named twice goes through it twice."""
        place = _Place(self.array, self.index, mode, wrap_negative_indices)
        if place.mask is not None:
            return place.choose(func(place.x))
        if unique_indices or place.is_unique():
            return place.replace(func)
        return place.each(lambda old, _: func(old), None)

    def apply_with(self, func: Callable, values: ArrayLike) -> Shaped[Array, "..."]:
        """`x[i] = func(x[i], values)`, one value after the other for an element that is named several times."""
        place = _Place(self.array, self.index, None, True)
        if place.mask is not None:
            return place.choose(func(place.x, _scalar(asarray(values))))
        if place.is_unique():
            return place.replace(lambda old: func(old, values))
        return place.each(func, asarray(values))

    def _write(self, primitive: Any, op: Callable, v: Any, mode: Mode, wrap_negative: bool) -> Array:
        """Those that are primitives."""
        place = _Place(self.array, self.index, mode, wrap_negative)
        if place.mask is not None:
            return place.choose(op(place.x, _scalar(v)))
        index, indices = normalize_index(place.index)
        try:
            return place.trim(wrap(primitive(place.x, v, indices, index=index)))
        except (ValueError, TypeError):
            place.check(v)
            raise

    def _combine(self, op: Callable, values: Any, mode: Mode, unique: bool, wrap_negative: bool) -> Array:
        """The others: read, compute, set. Several values for one element are multiplied before."""
        v = _value(values, self.array)
        place = _Place(self.array, self.index, mode, wrap_negative)
        if place.mask is not None:
            return place.choose(op(place.x, _scalar(v)))
        try:
            if unique or place.is_unique():
                return place.replace(lambda old: op(old, v))
            numbers = place.numbers()
            v = ravel(broadcast_to(v, numbers.shape))
            v, numbers = (running_products if place.is_traced else _merged)(v, numbers.reshape(-1))
            return place.trim(reshape(_replaced(ravel(place.x), numbers, lambda old: op(old, v)), place.x.shape))
        except (ValueError, TypeError):
            place.check(v)
            raise


class _Place:
    """An array and the index into it, after `mode` was seen to.

    For "drop" and "fill" the array gets one more entry along each axis that is indexed by integers, which takes what is
    out of bounds, and is cut off in the end. A boolean array without values (under make_tape) is kept as `mask`.
    """

    __slots__ = ("index", "inside", "mask", "x")

    def __init__(self, x: Array, index: Any, mode: Mode, wrap_negative: bool, fill: Any = 0) -> None:
        self.x, self.index, self.inside, self.mask = x, index, None, _unknown_mask(index)
        if mode is None and wrap_negative:
            return
        if mode not in (None, "clip", "drop", "fill", "promise_in_bounds"):
            raise ValueError(f"mode must be 'clip', 'drop', 'fill', 'promise_in_bounds' or None, got {mode!r}")
        entries = list(index) if type(index) is tuple else [index]
        entries = [asarray(e) if isinstance(e, list) and e else e for e in entries]
        used = [_axes_used(e) for e in entries]
        shape, axis = list(x.shape), 0
        for k, e in enumerate(entries):
            if e is Ellipsis:
                axis = x.ndim - sum(used[k:])
            elif used[k] == 1 and not isinstance(e, slice) and not _is_mask(e):
                n = x.shape[axis]
                e = e if isinstance(e, int) else asarray(e).astype(np.intp)  # n may be too large for its dtype
                from_start = ops.where(np.less(e, 0), np.add(e, n), e) if wrap_negative else e
                if mode is None:
                    entries[k] = ops.where(np.less(e, 0), n, e)  # raises IndexError where it is used
                elif mode == "clip":
                    entries[k] = np.minimum(np.maximum(from_start, 0), n - 1)
                else:
                    entries[k] = ops.where(
                        np.logical_or(np.less(from_start, 0), np.greater_equal(from_start, n)), n, from_start
                    )
                    shape[axis] = n + 1
            axis += used[k]
        self.index = tuple(entries)
        if mode not in (None, "clip"):
            self.inside = tuple([slice(n) for n in x.shape])
            self.x = wrap(ops.index_set(np.full(shape, fill, x.dtype), x, None, index=self.inside))

    def trim(self, out: Array) -> Array:
        return out if self.inside is None else getitem(out, self.inside)

    def choose(self, new: Any) -> Array:
        """The new values where the mask holds."""
        mask = reshape(self.mask, self.mask.shape + (1,) * (self.x.ndim - self.mask.ndim))
        return self.trim(wrap(ops.where(mask, _value(new, self.x), self.x)))

    @property
    def is_traced(self) -> bool:
        """Whether integers in the index have no values."""
        return normalize_index(self.index)[1] is not None

    def is_unique(self) -> bool:
        """Whether no element can be named twice."""
        index, indices = normalize_index(self.index)
        return not ops.repeats(index) if indices is None else indices.size == 1

    def replace(self, func: Callable) -> Array:
        return self.trim(_replaced(self.x, self.index, func))

    def each(self, func: Callable, v: Any) -> Array:
        """Elements that are named several times go through func as often, with the values in their order."""
        flat, numbers = ravel(self.x), self.numbers()
        v = None if v is None else ravel(broadcast_to(v, numbers.shape))
        numbers = numbers.reshape(-1)
        if self.is_traced:
            rounds: Any = np.arange(numbers.size)[:, None]
        else:
            turns = _turns(numbers)
            rounds = [np.flatnonzero(turns == k) for k in range(turns.max(initial=-1) + 1)]
        for places in rounds:
            values = None if v is None else getitem(v, places)
            flat = _replaced(flat, numbers[places], lambda old, values=values: func(old, values))
        return self.trim(reshape(flat, self.x.shape))

    def check(self, v: Any) -> None:
        """Raise ShapeError if values do not broadcast to the part."""
        index, indices = normalize_index(self.index)
        ops.index_set.shape(self.x, v, indices, index=index)

    def numbers(self) -> Any:
        """For each element that is named its number in the flattened array."""
        index, indices = normalize_index(self.index)
        return ops.read(np.arange(self.x.size).reshape(self.x.shape), indices, index)


def _replaced(x: Array, i: Any, func: Callable) -> Array:
    """x with func applied to a part in which no element is named twice."""
    index, indices = normalize_index(i)
    new = _value(func(wrap(ops.read(x, indices, index))), x)
    return wrap(ops.index_set(x, new, indices, index=index))


_RANK = {"b": 1, "i": 1, "u": 1, "f": 2, "c": 3}


def _value(values: Any, x: Array) -> Any:
    """Values in the dtype of the array that they are written into."""
    v = operand(values)
    if not hasattr(v, "dtype"):
        v = np.asarray(v)
    if v.dtype == x.dtype:
        return v
    if _RANK[v.dtype.kind] > _RANK[x.dtype.kind]:
        raise ArgumentError(
            f"x.at[i] cannot put values of dtype {v.dtype} into an array of dtype {x.dtype} without losing a part of "
            f"them; convert the array with x.astype({str(v.dtype)!r}), or the values with .astype({str(x.dtype)!r})"
        )
    return np.asarray(values, x.dtype) if type(values) is int else v.astype(x.dtype)


def _scalar(v: Any) -> Any:
    if v.ndim:
        raise NoValueError(
            f"x.at[mask] with a mask that has no values here takes one value, got shape {v.shape}: how many elements "
            f"the mask picks cannot be known. Write funcgrad.numpy.where(mask, v, x) with v in the shape of x"
        )
    return v


def _unknown_mask(index: Any) -> Any:
    """The index, if it is a boolean array of which only the shape is known."""
    if isinstance(index, Array) and _is_mask(index):
        try:
            index._concrete("x as an index")
        except NoValueError:
            return index
    return None


def _axes_used(e: Any) -> int:
    """How many axes of the array an entry of an index stands for."""
    if e is None or e is Ellipsis or isinstance(e, (bool, np.bool_)):
        return 0
    return e.ndim if _is_mask(e) else 1


def _is_mask(e: Any) -> bool:
    return hasattr(e, "dtype") and e.dtype.kind == "b"


def _turns(numbers: np.ndarray) -> np.ndarray:
    """For each entry how many equal ones came before it."""
    order = np.argsort(numbers, kind="stable")
    ordered, places = numbers[order], np.arange(numbers.size)
    first = np.ones(numbers.size, bool)
    first[1:] = ordered[1:] != ordered[:-1]
    turns = np.empty(numbers.size, int)
    turns[order] = places - np.maximum.accumulate(np.where(first, places, 0))
    return turns


def _merged(v: Array, numbers: np.ndarray) -> tuple[Array, np.ndarray]:
    """The products of the values with one number, pairwise: as many steps as the logarithm of how often one repeats."""
    order = np.argsort(numbers, kind="stable")
    v, numbers = getitem(v, order), numbers[order]
    while (second := _turns(numbers) % 2 == 1).any():
        places = np.flatnonzero(second)
        both = np.multiply(getitem(v, places - 1), getitem(v, places))
        v = getitem(wrap(ops.index_set(v, both, None, index=places - 1)), ~second)
        numbers = numbers[~second]
    return v, numbers


def put_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    values: ArrayLike,
    axis: int | None,
    inplace: bool = True,
    *,
    mode: Mode = None,
) -> Shaped[Array, "..."] | None:
    """A copy of arr with other values at places along an axis, which are those that `take_along_axis` reads.

    Arguments:
        arr: an array.
        indices: integers, of as many axes as arr; the other axes broadcast.
        values: they broadcast against indices.
        axis: None flattens arr for the indices.
        inplace: whether to write into arr itself, as NumPy does, which only a plain ndarray allows.
        mode: what an index out of bounds does, as for `x.at[i].set`; only for a copy.

    Raises:
        ValueError: mode is given and inplace is true.
        ImmutableArrayError: inplace is true and arr is an Array.
        LostTraceError: inplace is true and a value is being differentiated, which an ndarray cannot hold.

    Example:
        >>> fnp.put_along_axis(fnp.zeros((2, 2)), fnp.array([[1], [0]]), 5.0, axis=1, inplace=False)
        Array([[0., 5.],
               [5., 0.]], dtype=float64)

    Source: jax.numpy.put_along_axis (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.put_along_axis.html).
    """
    if inplace:
        if mode is not None:
            raise ValueError(f"put_along_axis: mode={mode!r} goes with inplace=False, which gives a copy")
        remedy = "y = put_along_axis(y, i, x, axis, inplace=False), or y = y.at[i].set(x)"
        return write(np.put_along_axis, "put_along_axis(y, i, x, axis)", remedy, arr, indices, values, axis)
    a, i = asarray(arr), asarray(indices)
    if axis is None:
        return reshape(At(ravel(a))[ravel(i)].set(values, mode=mode), a.shape)
    axis = normalize_axis_index(axis, a.ndim)
    if i.ndim != a.ndim:
        raise ValueError(f"put_along_axis: arr has {a.ndim} axes and indices {i.ndim}, they must have equally many")
    places = np.ogrid[tuple([slice(n) for n in a.shape])]
    return At(a)[(*places[:axis], i, *places[axis + 1 :])].set(values, mode=mode)
