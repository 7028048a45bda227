"""Reading parts of arrays: `x[i]`, take, compress, delete, insert, nonzero, and makers of indices.

The functions whose result has a shape that depends on values (nonzero, compress, …) need those values; under make_tape
they raise, unless `size=` says how long it is. What they pick is differentiable all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import index as as_int
from typing import Any

import numpy as np

from funcgrad.core.array import Array, new
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Integer, Shaped
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, reject, whole, wrap
from funcgrad.numpy.shapes import atleast_1d, broadcast_to, moveaxis, ravel, reshape
from funcgrad.numpy.sized import filled, missing, true_places
from funcgrad.ops import index as ops
from funcgrad.ops import structural
from funcgrad.ops.sort import argsort

__all__ = [
    "argwhere",
    "compress",
    "delete",
    "diag_indices",
    "diag_indices_from",
    "extract",
    "flatnonzero",
    "insert",
    "mask_indices",
    "ndenumerate",
    "nonzero",
    "ravel_multi_index",
    "take",
    "take_along_axis",
    "tril_indices",
    "tril_indices_from",
    "triu_indices",
    "triu_indices_from",
    "unravel_index",
]

_PLAIN = frozenset({int, type(None)})
_NOT_AN_INDEX = (
    "only integers, slices (`:`), ellipsis (`...`), None (numpy.newaxis) and arrays of integers or booleans are valid "
    "indices, got {}"
)


def index(x: Array, i: Any) -> Array:
    """`x[i]`, in all of NumPy's ways: this is the method `Array.__getitem__`.

    Arguments:
        x: an array.
        i: integers, slices, None, Ellipsis, arrays of integers or booleans, or a tuple of them. Integer arrays may be
            tracers of make_tape; boolean ones must have values, for the shape of the result depends on them.

    Returns:
        The part, a view of x where NumPy would give one. The cost of differentiating it does not depend on the size
        of x.

    Raises:
        IndexError: an index is out of bounds, or is none.

    Example:
        >>> fnp.array([1.0, 2.0, 3.0])[fnp.array([2, 0])]
        Array([3., 1.], dtype=float64)

    Source: NumPy's indexing (https://numpy.org/doc/stable/user/basics.indexing.html).
    """
    kind = type(i)
    if kind is not int and not (
        kind is slice and type(i.start) in _PLAIN and type(i.stop) in _PLAIN and type(i.step) in _PLAIN
    ):
        if x.ndim == 1 and isinstance(i, Tracer) and i.ndim == 0 and i.dtype.kind in "iu":
            return ops.pick_along_axis(x, i, axis=0)  # one element: nothing has to be spread or joined
        i, indices = normalize_index(i)
        if indices is not None:
            return wrap(ops.gather(x, indices, index=i))
    if type(x) is Array:
        out = new(Array)
        out._value = x._value[i]
        return out
    return x._trace.process(ops.getitem, (x,), {"index": i})


def normalize_index(i: Any) -> tuple[Any, Any]:
    """An index as the parameter of a primitive, its arrays owned, and the integer arrays that are traced.

    Arguments:
        i: whatever may stand between the brackets.

    Returns:
        The index, with HERE in the place of each traced array, and those arrays stacked; None if there are none.

    Raises:
        IndexError: something in i is no index.
        NoValueError: a boolean array has no values, for make_tape runs.
    """
    traced: list[Array] = []
    if type(i) is tuple:
        i = tuple([e if type(e) is int else _entry(e, traced) for e in i])
    else:
        i = _entry(i, traced)
    if not traced:
        return i, None
    shape = np.broadcast_shapes(*[t.shape for t in traced])
    return i, structural.stack(*[t if t.shape == shape else broadcast_to(t, shape) for t in traced], axis=0)


def _entry(e: Any, traced: list[Array]) -> Any:
    kind = type(e)
    if kind is int or e is None or e is Ellipsis or kind is bool:
        return e
    if kind is slice:
        if type(e.start) in _PLAIN and type(e.stop) in _PLAIN and type(e.step) in _PLAIN:
            return e
        return slice(*[n if n is None else as_int(n) for n in (e.start, e.stop, e.step)])
    if isinstance(e, (np.ndarray, np.generic)):
        value = e.copy()
    elif isinstance(e, Tracer) and e.dtype.kind in "iu":
        traced.append(e)
        return ops.HERE
    elif isinstance(e, Array):
        value = e._concrete("x as an index")
    elif isinstance(e, Sequence) and not isinstance(e, (str, bytes)):
        if len(e) == 0:
            return np.empty(0, np.intp)
        return _entry(asarray(list(e)), traced)
    else:
        try:
            return as_int(e)
        except TypeError:
            raise IndexError(_NOT_AN_INDEX.format(f"{e!r} of type {kind.__name__}")) from None
    if value.dtype.kind not in "biu":
        raise IndexError(_NOT_AN_INDEX.format(f"an array of dtype {value.dtype}"))
    return value if value.ndim else value.item()


def rows(x: Array) -> Iterator[Array]:
    """The entries of x along its first axis, one after the other: the method `Array.__iter__`.

    Raises:
        TypeError: x has no axis.

    Example:
        >>> a, b = fnp.array([1.0, 2.0])
        >>> a + b
        Array(3., dtype=float64)
    """
    if x.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return (index(x, i) for i in range(x.shape[0]))


def concrete(x: Any, action: str) -> Any:
    """The raw values of an argument on which a shape depends; make_tape, which has none, raises.

    Arguments:
        x: anything that stands for an array.
        action: the call as the user wrote it, for the message: "nonzero(x)".

    Raises:
        NoValueError: there are no values.
    """
    x = operand(x)
    return x._concrete(action) if isinstance(x, Array) else x


def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: int | None = None,
    out: Any = None,
    mode: str | None = "raise",
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    fill_value: ArrayLike | None = None,
) -> Shaped[Array, "..."]:
    """Entries along an axis, by their numbers.

    Arguments:
        a: an array.
        indices: integers, in any shape.
        axis: by default a is flattened.
        out: must be None.
        mode: what an index out of bounds does: "raise", "wrap" around, "clip" to the first or last entry, or "fill",
            which is meant by None and where a fill_value is given.
        unique_indices, indices_are_sorted: without effect; JAX has them.
        fill_value: what "fill" puts in; by default NaN, of integers the least or (unsigned) the greatest, of booleans
            True.

    Returns:
        An array with the shape of `indices` in the place of the axis.

    Raises:
        IndexError: an index is out of bounds, and mode is "raise".

    Example:
        >>> fnp.take(fnp.array([[1, 2, 3], [4, 5, 6]]), fnp.array([2, 0]), axis=1)
        Array([[3, 1],
               [6, 4]], dtype=int64)
    """
    reject("take", out=out)
    mode = "fill" if mode is None or (mode == "raise" and fill_value is not None) else mode
    if mode not in ("raise", "wrap", "clip", "fill"):
        raise ValueError(f"mode must be 'raise', 'wrap', 'clip' or 'fill', got {mode!r}")
    a = asarray(a)
    if axis is None or not a.ndim:
        a = ravel(a)
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    if isinstance(indices, (list, tuple)) and not indices:
        indices = np.empty(0, np.intp)
    indices = operand(indices)
    n = a.shape[axis]
    if mode == "wrap":
        indices = np.remainder(indices, n)
    elif mode == "clip":
        indices = np.minimum(np.maximum(indices, 0), n - 1)
    elif mode == "fill" and n:
        places, inside = _inside(asarray(indices), n, True)
        found = index(a, (slice(None),) * axis + (places,))
        inside = reshape(inside, inside.shape + (1,) * (a.ndim - 1 - axis))
        return wrap(ops.where(inside, found, _fill(fill_value, a.dtype)))
    return index(a, (slice(None),) * axis + (indices,)) if axis else index(a, indices)


def _inside(indices: Array, n: int, wrap_negative: bool) -> tuple[Any, Any]:
    """Indices along an axis of length n, those out of bounds replaced by 0, and which are in bounds."""
    i = indices.astype(np.intp)
    if wrap_negative:
        i = ops.where(np.less(i, 0), np.add(i, n), i)
    inside = np.logical_and(np.greater_equal(i, 0), np.less(i, n))
    return asarray(ops.where(inside, i, 0)), asarray(inside)


def _fill(fill_value: Any, dtype: np.dtype) -> Array:
    return asarray(missing(dtype) if fill_value is None else fill_value).astype(dtype)


def take_along_axis(
    arr: ArrayLike,
    indices: ArrayLike,
    axis: int | None = -1,
    mode: str | None = None,
    fill_value: ArrayLike | None = None,
    *,
    wrap_negative_indices: bool | None = None,
) -> Shaped[Array, "..."]:
    """Entries along an axis, for each place on the other axes by numbers of its own, as argsort gives them.

    Arguments:
        arr: an array.
        indices: integers, of as many axes as arr; the other axes broadcast.
        axis: None flattens arr.
        mode: what an index out of bounds does. By default it raises IndexError; "clip" and "promise_in_bounds" take
            the first or the last entry, "fill" and "drop" give fill_value, "one_hot" gives 0.
        fill_value: by default as for `take`; with it "fill" is the default.
        wrap_negative_indices: whether negative indices count from the end; by default, except for
            "promise_in_bounds".

    Raises:
        IndexError: indices are no integers, or out of bounds.
        ValueError: arr and indices have different numbers of axes.

    Example:
        >>> x = fnp.array([[3.0, 1.0, 2.0]])
        >>> fnp.take_along_axis(x, fnp.argsort(x, axis=1), axis=1)
        Array([[1., 2., 3.]], dtype=float64)
    """
    a, i = (ravel(arr) if axis is None else asarray(arr)), asarray(indices)
    if i.dtype.kind not in "iu":
        raise IndexError(f"take_along_axis: indices must be integers, got dtype {i.dtype}")
    if i.ndim != a.ndim:
        raise ValueError(f"take_along_axis: arr has {a.ndim} axes and indices {i.ndim}, they must have equally many")
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    mode = "fill" if mode is None and fill_value is not None else mode
    if mode not in (None, "fill", "drop", "clip", "promise_in_bounds", "one_hot"):
        raise ValueError(f"mode must be 'fill', 'drop', 'clip', 'promise_in_bounds' or 'one_hot', got {mode!r}")
    wrap_negative = mode != "promise_in_bounds" if wrap_negative_indices is None else wrap_negative_indices
    n = a.shape[axis]
    if mode is None and not wrap_negative:
        i = asarray(ops.where(np.less(i, 0), n, i))  # raises IndexError
    elif mode in ("clip", "promise_in_bounds"):
        i = i.astype(np.intp)
        i = asarray(ops.where(np.less(i, 0), np.add(i, n), i)) if wrap_negative else i
        i = asarray(np.minimum(np.maximum(i, 0), n - 1))
    elif mode is not None:
        i, inside = _inside(i, n, wrap_negative)
        fill = _fill(0 if mode == "one_hot" else fill_value, a.dtype)
        return wrap(ops.where(inside, ops.take_along_axis(a, i, axis=axis, unique=False), fill))
    return wrap(ops.take_along_axis(a, i, axis=axis, unique=False))


def compress(
    condition: ArrayLike,
    a: ArrayLike,
    axis: int | None = None,
    out: Any = None,
    *,
    size: int | None = None,
    fill_value: ArrayLike = 0,
) -> Shaped[Array, "..."]:
    """The entries along an axis for which a condition holds.

    Arguments:
        condition: booleans along the axis; those missing at the end are false.
        a: an array.
        axis: by default a is flattened.
        out: must be None.
        size: the length of the result, which then needs no values of the condition.
        fill_value: what the result ends with if fewer entries than `size` are found.

    Raises:
        ValueError: condition has more than one axis, or size is greater than the length of a's.
        IndexError: condition is true beyond the end of the axis.

    Example:
        >>> fnp.compress([False, True], fnp.array([[1, 2], [3, 4]]), axis=0)
        Array([[3, 4]], dtype=int64)
    """
    reject("compress", out=out)
    if size is not None:
        return _compress_sized(asarray(condition), asarray(a), axis, size, fill_value)
    mask = np.asarray(concrete(condition, "compress(x, a)"))
    if mask.ndim != 1:
        raise ValueError(f"compress: condition must have one axis, got shape {mask.shape}")
    return take(a, np.flatnonzero(mask), axis)


def _compress_sized(mask: Array, a: Array, axis: int | None, size: int, fill_value: ArrayLike) -> Array:
    if mask.ndim != 1:
        raise ValueError(f"compress: condition must have one axis, got shape {mask.shape}")
    if axis is None or not a.ndim:
        a = ravel(a)
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    n = a.shape[axis]
    if as_int(size) > n:
        raise ValueError(f"compress: size must not exceed the length of the axis, got {size} for length {n}")
    places, valid = true_places(np.not_equal(mask[:n], 0), size)
    if not n:
        return a
    return filled(take(a, ops.where(valid, places, 0), axis), valid, fill_value, axis)


def extract(
    condition: ArrayLike, arr: ArrayLike, *, size: int | None = None, fill_value: ArrayLike = 0
) -> Shaped[Array, " n"]:
    """The elements where a condition holds, in order: `arr[condition]` for conditions of any dtype.

    Arguments:
        condition: of the size of arr; numbers count as true if they are not zero.
        arr: an array.
        size, fill_value: as for `compress`.

    Example:
        >>> fnp.extract([[0, 1], [1, 0]], fnp.array([[1, 2], [3, 4]]))
        Array([2, 3], dtype=int64)
    """
    if size is not None:
        return compress(ravel(condition), ravel(arr), size=size, fill_value=fill_value)
    return take(arr, np.flatnonzero(concrete(condition, "extract(x, a)")))


def nonzero(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | tuple[ArrayLike, ...] | None = None
) -> tuple[Integer[Array, " n"], ...]:
    """Where a is not zero: for each axis the indices.

    Arguments:
        a: an array.
        size: the length of the result; then it needs no values of a, and is cut off or filled up.
        fill_value: what stands at the end if fewer elements than `size` are not zero: a number, by default 0, or a
            tuple with one for each axis.

    Raises:
        NoValueError: under make_tape, for the shape of the result depends on values, unless size is given.
        ValueError: a has no axis, or fill_value is no number for each axis.

    Example:
        >>> fnp.nonzero(fnp.array([0.0, 7.0, 5.0]))
        (Array([1, 2], dtype=int64),)
    """
    if size is None:
        return tuple([wrap(i) for i in np.nonzero(concrete(a, "nonzero(x)"))])
    a = asarray(a)
    if not a.ndim:
        raise ValueError("nonzero takes an array of one or more axes; write nonzero(atleast_1d(x)) for a number")
    fills = fill_value if isinstance(fill_value, tuple) else (0 if fill_value is None else fill_value,) * a.ndim
    if len(fills) != a.ndim or any(np.ndim(v) for v in fills):
        raise ValueError(f"nonzero: fill_value must be a number, or a tuple of {a.ndim} of them, got {fill_value!r}")
    places, valid = true_places(np.not_equal(ravel(a), 0), size)
    steps = [int(np.prod(a.shape[k + 1 :])) for k in range(a.ndim)]
    each = [np.remainder(np.floor_divide(places, max(s, 1)), max(n, 1)) for s, n in zip(steps, a.shape, strict=True)]
    return tuple([filled(i, valid, v) for i, v in zip(each, fills, strict=True)])


def flatnonzero(a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | None = None) -> Integer[Array, " n"]:
    """Where the flattened array is not zero.

    Arguments:
        a, size, fill_value: as for `nonzero`.

    Example:
        >>> fnp.flatnonzero(fnp.array([[0, 7], [5, 0]]))
        Array([1, 2], dtype=int64)
    """
    if size is not None:
        return nonzero(ravel(a), size=size, fill_value=fill_value)[0]
    return wrap(np.flatnonzero(concrete(a, "flatnonzero(x)")))


def argwhere(
    a: ArrayLike, *, size: int | None = None, fill_value: ArrayLike | tuple[ArrayLike, ...] | None = None
) -> Integer[Array, "n ndim"]:
    """Where a is not zero, one row of indices for each such element.

    Arguments:
        a, size, fill_value: as for `nonzero`.

    Example:
        >>> fnp.argwhere(fnp.array([[0, 7], [5, 0]]))
        Array([[0, 1],
               [1, 0]], dtype=int64)
    """
    if size is None:
        return wrap(np.argwhere(concrete(a, "argwhere(x)")))
    a = asarray(a)
    rows = structural.stack(*nonzero(atleast_1d(a), size=size, fill_value=fill_value), axis=1)
    return rows if a.ndim else reshape(rows[:, :0], (as_int(size), 0))


# Copies with fewer or more entries.


def delete(
    arr: ArrayLike, obj: Any, axis: int | None = None, *, assume_unique_indices: bool = False
) -> Shaped[Array, "..."]:
    """A copy without some entries along an axis.

    Arguments:
        arr: an array.
        obj: an integer, a slice, an array of integers, or of booleans that mark what goes.
        axis: by default arr is flattened.
        assume_unique_indices: a promise that integers in obj are in bounds and name no entry twice; they need no
            values then.

    Raises:
        IndexError: obj is out of bounds.

    Example:
        >>> fnp.delete(fnp.array([1.0, 2.0, 3.0]), 1)
        Array([1., 3.], dtype=float64)
    """
    a = asarray(arr) if axis is not None else ravel(arr)
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    if assume_unique_indices and isinstance(obj, Tracer) and obj.dtype.kind in "iu":
        gone = ravel(obj)
        n = a.shape[axis]
        gone = ops.where(np.less(gone, 0), np.add(gone, n), gone)
        kept = np.all(np.not_equal(np.arange(n)[:, None], gone), axis=1)
        return take(a, true_places(kept, n - gone.size)[0], axis)
    if not isinstance(obj, (slice, int)) and np.size(obj):
        obj = concrete(obj, "delete(a, x)")
    return take(a, np.delete(np.arange(a.shape[axis]), obj), axis)


def insert(arr: ArrayLike, obj: Any, values: ArrayLike, axis: int | None = None) -> Shaped[Array, "..."]:
    """A copy with further entries along an axis.

    Arguments:
        arr: an array.
        obj: before which entries of arr: an integer, a slice, an array of integers or booleans. Integers without
            values, as in jit, are clipped to the bounds.
        values: what is inserted; it broadcasts, and is cast to the dtype of arr.
        axis: by default arr is flattened.

    Raises:
        IndexError: obj is out of bounds.

    Example:
        >>> fnp.insert(fnp.array([1.0, 3.0]), 1, 2.0)
        Array([1., 2., 3.], dtype=float64)
    """
    a = asarray(arr) if axis is not None else ravel(arr)
    axis = normalize_axis_index(0 if axis is None else axis, a.ndim)
    n = a.shape[axis]
    v = asarray(values).astype(a.dtype)
    if isinstance(obj, slice):
        obj = np.arange(*obj.indices(n))
    elif isinstance(obj, (list, tuple)) and not obj:
        obj = np.empty(0, np.intp)
    at: Any = (
        obj if isinstance(obj, Tracer) and obj.dtype.kind in "iu" else np.asarray(concrete(obj, "insert(a, x, v)"))
    )
    if at.dtype.kind == "b":
        at = np.flatnonzero(at)
    v = v.reshape((1,) * (a.ndim - v.ndim) + v.shape)
    if at.ndim == 0:
        v = moveaxis(v, 0, axis)
    count = v.shape[axis] if at.size == 1 else at.size
    v = broadcast_to(v, (*a.shape[:axis], count, *a.shape[axis + 1 :]))
    if isinstance(at, Tracer):
        order = _order_of_insertion(at, n, count)
    else:
        order = np.insert(np.arange(n), at.item() if at.size == 1 else at, n + np.arange(count))
    return take(wrap(structural.concatenate(a, v, axis=axis)), order, axis)


def _order_of_insertion(at: Array, n: int, count: int) -> Array:
    """What np.insert makes of arange(n) and the numbers n, n + 1, … that go before the entries `at`."""
    at = ops.where(np.less(at, 0), np.add(at, n), at)
    at = broadcast_to(ravel(np.minimum(np.maximum(at, 0), n)), (count,))
    order = argsort(at, axis=0, stable=True)
    places = np.add(take(at, order), np.arange(count))
    new = np.any(np.equal(np.arange(n + count)[:, None], places), axis=1)
    number = take(order, np.maximum(np.cumsum(new) - 1, 0)) if count else 0
    return asarray(ops.where(new, np.add(number, n), np.cumsum(np.logical_not(new)) - 1))


# Indices of parts of matrices, and of flattened arrays.


def tril_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Integer[Array, " p"], Integer[Array, " p"]]:
    """Where the lower triangle of an n by m matrix is: rows and columns.

    Arguments:
        n, m: the lengths of the axes; m is n by default.
        k: the last diagonal that belongs to it.

    Example:
        >>> fnp.tril_indices(2)
        (Array([0, 1, 1], dtype=int64), Array([0, 0, 1], dtype=int64))
    """
    columns = None if m is None else whole(m, "tril_indices: m")
    return _wrapped(np.tril_indices(whole(n, "tril_indices: n"), whole(k, "tril_indices: k"), columns))


def triu_indices(n: int, k: int = 0, m: int | None = None) -> tuple[Integer[Array, " p"], Integer[Array, " p"]]:
    """Where the upper triangle of an n by m matrix is: rows and columns.

    Arguments:
        n, m: the lengths of the axes; m is n by default.
        k: the first diagonal that belongs to it.

    Example:
        >>> fnp.triu_indices(2)
        (Array([0, 0, 1], dtype=int64), Array([0, 1, 1], dtype=int64))
    """
    columns = None if m is None else whole(m, "triu_indices: m")
    return _wrapped(np.triu_indices(whole(n, "triu_indices: n"), whole(k, "triu_indices: k"), columns))


def tril_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Integer[Array, " p"], Integer[Array, " p"]]:
    """`tril_indices` for the shape of a matrix.

    Raises:
        ValueError: arr has not two axes.

    Example:
        >>> fnp.tril_indices_from(fnp.ones((2, 1)))
        (Array([0, 1], dtype=int64), Array([0, 0], dtype=int64))
    """
    n, m = _matrix_shape(arr)
    return tril_indices(n, k, m)


def triu_indices_from(arr: ArrayLike, k: int = 0) -> tuple[Integer[Array, " p"], Integer[Array, " p"]]:
    """`triu_indices` for the shape of a matrix.

    Raises:
        ValueError: arr has not two axes.

    Example:
        >>> fnp.triu_indices_from(fnp.ones((2, 1)))
        (Array([0], dtype=int64), Array([0], dtype=int64))
    """
    n, m = _matrix_shape(arr)
    return triu_indices(n, k, m)


def _matrix_shape(arr: ArrayLike) -> tuple[int, ...]:
    shape = asarray(arr).shape
    if len(shape) != 2:
        raise ValueError(f"input array must be 2-d, got shape {shape}")
    return shape


def ndenumerate(arr: ArrayLike) -> Iterator[tuple[tuple[int, ...], Shaped[Array, ""]]]:
    """Pairs of an index and the element there, for all elements of an array.

    Example:
        >>> list(fnp.ndenumerate(fnp.array([[1.0, 2.0]])))
        [((0, 0), Array(1., dtype=float64)), ((0, 1), Array(2., dtype=float64))]
    """
    x = asarray(arr)
    return ((i, index(x, i)) for i in np.ndindex(x.shape))


def diag_indices(n: int, ndim: int = 2) -> tuple[Integer[Array, " n"], ...]:
    """Where the main diagonal of an array with ndim axes of length n is.

    Example:
        >>> fnp.diag_indices(2)
        (Array([0, 1], dtype=int64), Array([0, 1], dtype=int64))
    """
    return _wrapped(np.diag_indices(whole(n, "diag_indices: n"), whole(ndim, "diag_indices: ndim")))


def diag_indices_from(arr: ArrayLike) -> tuple[Integer[Array, " n"], ...]:
    """`diag_indices` for the shape of an array.

    Raises:
        ValueError: arr has less than two axes, or they differ in length.

    Example:
        >>> fnp.diag_indices_from(fnp.ones((2, 2)))
        (Array([0, 1], dtype=int64), Array([0, 1], dtype=int64))
    """
    shape = asarray(arr).shape
    if len(shape) < 2 or len(set(shape)) > 1:
        raise ValueError(f"the array must have two or more axes, all of one length, got shape {shape}")
    return diag_indices(shape[0], len(shape))


def mask_indices(
    n: int, mask_func: Callable, k: Any = 0, *, size: int | None = None
) -> tuple[Integer[Array, " p"], Integer[Array, " p"]]:
    """Where `mask_func(a, k)`, applied to an n by n matrix without zeros, leaves elements that are not zero.

    Arguments:
        n: the length of the axes.
        mask_func: such as `triu`; it is called with an n by n matrix and k.
        k: passed on.
        size: as for `nonzero`.

    Example:
        >>> fnp.mask_indices(2, fnp.triu, 1)
        (Array([0], dtype=int64), Array([1], dtype=int64))
    """
    return nonzero(mask_func(np.ones((n, n), int), k), size=size)  # type: ignore[return-value]  # of a matrix


def ravel_multi_index(
    multi_index: Sequence[ArrayLike],
    dims: Sequence[int],
    mode: str | tuple[str, ...] = "raise",
    order: str = "C",
    *,
    dtype: Any = None,
) -> Integer[Array, "..."]:
    """Indices for each axis as indices into the flattened array.

    Arguments:
        multi_index: a tuple of integer arrays, one for each axis.
        dims: the shape.
        mode: "raise", "wrap", "clip" or "ignore", or a tuple with one for each axis. All but "raise" need no values.
        order: "C" or "F": how the array is flattened.
        dtype: of the result, as in JAX.

    Raises:
        ValueError: an index is out of bounds, and mode is "raise".

    Example:
        >>> fnp.ravel_multi_index(([0, 1], [2, 0]), (2, 3))
        Array([2, 3], dtype=int64)
    """
    modes = mode if isinstance(mode, tuple) else (mode,) * len(dims)
    if any(m not in ("raise", "wrap", "clip", "ignore") for m in modes):
        raise ValueError(f"ravel_multi_index: mode must be 'raise', 'wrap', 'clip' or 'ignore', got {mode!r}")
    if order not in ("C", "F"):
        raise ValueError(f"ravel_multi_index: order must be 'C' or 'F', got {order!r}")
    if "raise" in modes or len(modes) != len(dims) or len(multi_index) != len(dims):
        arrays = tuple([concrete(i, "ravel_multi_index(x, dims)") for i in multi_index])
        flat: Any = wrap(np.ravel_multi_index(arrays, dims, mode=mode, order=order))
    else:
        flat, step = 0, 1
        axes = range(len(dims)) if order == "F" else reversed(range(len(dims)))
        for k in axes:
            i, n = asarray(multi_index[k]), as_int(dims[k])
            if i.dtype.kind not in "iu":
                raise TypeError(f"ravel_multi_index: indices must be integers, got dtype {i.dtype}")
            if modes[k] == "wrap":
                i = np.remainder(i, n)
            elif modes[k] == "clip":
                i = np.minimum(np.maximum(i, 0), n - 1)
            flat, step = flat + i.astype(np.intp) * step, step * n
    return asarray(flat) if dtype is None else asarray(flat).astype(dtype)


def unravel_index(
    indices: ArrayLike, shape: int | Sequence[int], order: str = "C"
) -> tuple[Integer[Array, "..."], ...]:
    """Indices into the flattened array as indices for each axis.

    Arguments:
        indices: integers.
        shape: of the array.
        order: "C" or "F": how it is flattened.

    Raises:
        ValueError: an index is out of bounds. Indices without values, as in jit, are clipped to the bounds.

    Example:
        >>> fnp.unravel_index(5, (2, 3))
        (Array(1, dtype=int64), Array(2, dtype=int64))
    """
    if isinstance(indices, Tracer):
        dims = tuple([as_int(n) for n in shape]) if isinstance(shape, Sequence) else (as_int(shape),)
        size = int(np.prod(dims))
        left = ops.where(np.less(indices, 0), np.add(indices, size), indices)
        left = np.minimum(np.maximum(left, 0), size - 1)
        parts = []
        for n in dims if order == "F" else dims[::-1]:
            parts.append(np.remainder(left, n))
            left = np.floor_divide(left, n)
        return tuple(parts if order == "F" else parts[::-1])
    return _wrapped(np.unravel_index(concrete(indices, "unravel_index(x, shape)"), shape, order))


def _wrapped(arrays: tuple) -> Any:
    return tuple([wrap(a) for a in arrays])
