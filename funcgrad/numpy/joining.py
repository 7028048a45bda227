"""Functions that join arrays and take them apart: concatenate, stack, block, split, append, …"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped, shape_of
from funcgrad.numpy.convert import asarray, normalize_axis_index, operand, reject, wrap
from funcgrad.numpy.shapes import astype, atleast_1d, atleast_nd, integers, ravel, transpose
from funcgrad.ops import structural

__all__ = [
    "append",
    "array_split",
    "block",
    "column_stack",
    "concat",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "unstack",
    "vsplit",
    "vstack",
]

Arrays = ArrayLike | Sequence[ArrayLike]


def _parts(function: str, arrays: Any) -> list[Any]:
    """The arrays to join, as operands; the rows of one array count as such."""
    if isinstance(arrays, Array):
        arrays = unstack(arrays)
    elif not isinstance(arrays, (list, tuple, np.ndarray)):
        raise TypeError(f"{function} takes a sequence of arrays, got {type(arrays).__name__}; make it a list")
    parts = [a if isinstance(a, Array) else operand(a) for a in arrays]
    if not parts:
        raise ValueError(f"{function} needs at least one array")
    return parts


def _cast(joined: Any, dtype: Any, casting: str) -> Array:
    joined = wrap(joined)
    if dtype is None:
        return joined
    if not np.can_cast(joined.dtype, dtype, casting):
        raise TypeError(f"cannot cast what is joined from {joined.dtype} to {np.dtype(dtype)} with casting={casting!r}")
    return astype(joined, dtype)


def concatenate(
    arrays: Arrays, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Shaped[Array, "..."]:
    """Arrays one after the other along an axis that they have.

    Arguments:
        arrays: a sequence of arrays, whose shapes agree except along the axis.
        axis: which; with None the arrays are flattened first.
        out: not supported.
        dtype: of the result, by default that to which the arrays promote.
        casting: what kind of conversion to dtype is allowed.

    Raises:
        ValueError: the shapes do not fit, or there is no array.
        TypeError: the conversion to dtype is not allowed.

    Example:
        >>> fnp.concatenate([[1.0, 2.0], [3.0]])
        Array([1., 2., 3.], dtype=float64)
    """
    reject("concatenate", out=out)
    parts = _parts("concatenate", arrays)
    if axis is None:
        parts, axis = [ravel(p) for p in parts], 0
    if not shape_of(parts[0]):
        raise ValueError("zero-dimensional arrays cannot be concatenated; use stack")
    axis = normalize_axis_index(axis, parts[0].ndim)
    return _cast(structural.concatenate(*parts, axis=axis), dtype, casting)


concat = concatenate


def stack(
    arrays: Arrays, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: str = "same_kind"
) -> Shaped[Array, "..."]:
    """Arrays of one shape along a new axis.

    Arguments:
        arrays: a sequence of arrays.
        axis: where the new axis is in the result.
        out: not supported.
        dtype, casting: as for `concatenate`.

    Raises:
        ValueError: the shapes differ, or there is no array.

    Example:
        >>> fnp.stack([[1.0, 2.0], [3.0, 4.0]], axis=1)
        Array([[1., 3.],
               [2., 4.]], dtype=float64)
    """
    reject("stack", out=out)
    parts = _parts("stack", arrays)
    shapes = [shape_of(p) for p in parts]
    if shapes.count(shapes[0]) != len(shapes):
        raise ValueError(f"stack takes arrays of one shape, got {sorted(set(shapes))}; use concatenate")
    return _cast(structural.stack(*parts, axis=normalize_axis_index(axis, len(shapes[0]) + 1)), dtype, casting)


def unstack(x: ArrayLike, /, *, axis: int = 0) -> tuple[Shaped[Array, "..."], ...]:
    """The parts of an array along an axis, each without that axis: the opposite of `stack`.

    Example:
        >>> fnp.unstack([[1.0, 2.0], [3.0, 4.0]])
        (Array([1., 2.], dtype=float64), Array([3., 4.], dtype=float64))
    """
    x = asarray(x)
    if not x.ndim:
        raise ValueError("unstack takes an array of at least one axis, got a 0-d array")
    axis = normalize_axis_index(axis, x.ndim)
    before = (slice(None),) * axis
    return tuple([x[(*before, i)] for i in range(x.shape[axis])])


def vstack(tup: Arrays, *, dtype: Any = None, casting: str = "same_kind") -> Shaped[Array, "..."]:
    """Arrays one below the other: along the first axis, 1-d arrays being rows.

    Example:
        >>> fnp.vstack([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 2.],
               [3., 4.]], dtype=float64)
    """
    return concatenate([atleast_nd(a, 2) for a in _parts("vstack", tup)], 0, dtype=dtype, casting=casting)


row_stack = vstack  # NumPy's older name


def hstack(tup: Arrays, *, dtype: Any = None, casting: str = "same_kind") -> Shaped[Array, "..."]:
    """Arrays side by side: along the second axis, 1-d arrays along their only one.

    Example:
        >>> fnp.hstack([[1.0, 2.0], 3.0])
        Array([1., 2., 3.], dtype=float64)
    """
    parts = [atleast_1d(a) for a in _parts("hstack", tup)]
    return concatenate(parts, 0 if parts[0].ndim == 1 else 1, dtype=dtype, casting=casting)


def dstack(tup: Arrays) -> Shaped[Array, "..."]:
    """Arrays one behind the other: along the third axis.

    Example:
        >>> fnp.dstack([[1.0, 2.0], [3.0, 4.0]])
        Array([[[1., 3.],
                [2., 4.]]], dtype=float64)
    """
    return concatenate([atleast_nd(a, 3) for a in _parts("dstack", tup)], 2)


def column_stack(tup: Arrays) -> Shaped[Array, "..."]:
    """Arrays side by side, 1-d arrays being columns.

    Example:
        >>> fnp.column_stack([[1.0, 2.0], [3.0, 4.0]])
        Array([[1., 3.],
               [2., 4.]], dtype=float64)
    """
    parts = [asarray(a) for a in _parts("column_stack", tup)]
    return concatenate([p if p.ndim >= 2 else transpose(atleast_nd(p, 2)) for p in parts], 1)


def append(arr: ArrayLike, values: ArrayLike, axis: int | None = None) -> Shaped[Array, "..."]:
    """An array with further elements at its end.

    Arguments:
        arr: the array.
        values: what follows.
        axis: along which; with None both are flattened first.

    Example:
        >>> fnp.append([1.0, 2.0], 3.0)
        Array([1., 2., 3.], dtype=float64)
    """
    return concatenate([arr, values], axis)


def block(arrays: ArrayLike) -> Shaped[Array, "..."]:
    """An array from blocks in nested lists: the innermost join along the last axis, the next along the one before.

    Raises:
        ValueError: an empty list, or lists that are nested to different depths.
        TypeError: a tuple in the place of a list.

    Example:
        >>> fnp.block([[fnp.eye(2), fnp.zeros((2, 1))], [fnp.ones((1, 2)), 5.0]])
        Array([[1., 0., 0.],
               [0., 1., 0.],
               [1., 1., 5.]], dtype=float64)
    """
    depth, widest = _nesting(arrays)
    return _joined_blocks(arrays, -depth, max(depth, widest))


def _joined_blocks(x: Any, axis: int, ndim: int) -> Array:
    """The array that nested lists of blocks make, the outermost list joining along an axis."""
    if isinstance(x, list):
        return concatenate([_joined_blocks(e, axis + 1, ndim) for e in x], axis=axis)
    x = asarray(x)
    return x.reshape((1,) * (ndim - x.ndim) + x.shape)


def _nesting(x: Any) -> tuple[int, int]:
    """How deep lists are nested, and the largest number of axes of what is in them."""
    if isinstance(x, tuple):
        raise TypeError("block takes nested lists of arrays, got a tuple; only lists say where blocks go")
    if not isinstance(x, list):
        return 0, asarray(x).ndim
    if not x:
        raise ValueError("block: lists must not be empty")
    depths, widths = zip(*[_nesting(e) for e in x], strict=True)
    if len(set(depths)) > 1:
        raise ValueError(f"block: lists must be nested to one depth, got parts of depths {depths}")
    return depths[0] + 1, max(widths)


# Taking apart.


def array_split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Shaped[Array, "..."]]:
    """The parts of an array along an axis, of about the same length or between given places.

    Arguments:
        ary: the array.
        indices_or_sections: the number of parts, of which the first are longer by one if need be; or the places of the
            cuts.
        axis: along which to cut.

    Returns:
        A list of arrays.

    Example:
        >>> fnp.array_split([1.0, 2.0, 3.0], 2)
        [Array([1., 2.], dtype=float64), Array([3.], dtype=float64)]
    """
    a = asarray(ary)
    axis = normalize_axis_index(axis, a.ndim)
    sections = _sections(indices_or_sections)
    if sections is None:
        cuts = [0, *integers(indices_or_sections), None]
    else:
        if sections <= 0:
            raise ValueError(f"the number of parts must be positive, got {sections}")
        short, longer = divmod(a.shape[axis], sections)
        cuts = [i * short + min(i, longer) for i in range(sections + 1)]
    before = (slice(None),) * axis
    return [a[(*before, slice(*cuts[i : i + 2]))] for i in range(len(cuts) - 1)]


def _sections(x: Any) -> int | None:
    """The number of parts, or None if the places of the cuts are given."""
    try:
        return index(x)
    except TypeError:
        return None


def split(ary: ArrayLike, indices_or_sections: Any, axis: int = 0) -> list[Shaped[Array, "..."]]:
    """The parts of an array along an axis, of the same length or between given places.

    Arguments:
        ary, indices_or_sections, axis: as for `array_split`.

    Raises:
        ValueError: the axis cannot be divided into that many equal parts.

    Example:
        >>> fnp.split([1.0, 2.0, 3.0], [1])
        [Array([1.], dtype=float64), Array([2., 3.], dtype=float64)]
    """
    a = asarray(ary)
    sections = _sections(indices_or_sections)
    n = a.shape[normalize_axis_index(axis, a.ndim)]
    if sections and n % sections:
        raise ValueError(f"split: an axis of length {n} has no {sections} equal parts; use array_split")
    return array_split(a, indices_or_sections, axis)


def hsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Shaped[Array, "..."]]:
    """`split` along the second axis; along the only one of a 1-d array.

    Raises:
        ValueError: a 0-d array.

    Example:
        >>> fnp.hsplit([1.0, 2.0], 2)
        [Array([1.], dtype=float64), Array([2.], dtype=float64)]
    """
    a = _with_axes("hsplit", ary, 1)
    return split(a, indices_or_sections, 1 if a.ndim > 1 else 0)


def vsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Shaped[Array, "..."]]:
    """`split` along the first axis of an array with at least two.

    Raises:
        ValueError: the array has fewer axes.

    Example:
        >>> fnp.vsplit([[1.0], [2.0]], 2)
        [Array([[1.]], dtype=float64), Array([[2.]], dtype=float64)]
    """
    return split(_with_axes("vsplit", ary, 2), indices_or_sections, 0)


def dsplit(ary: ArrayLike, indices_or_sections: Any) -> list[Shaped[Array, "..."]]:
    """`split` along the third axis of an array with at least three.

    Raises:
        ValueError: the array has fewer axes.

    Example:
        >>> [part.shape for part in fnp.dsplit(fnp.zeros((1, 2, 4)), 2)]
        [(1, 2, 2), (1, 2, 2)]
    """
    return split(_with_axes("dsplit", ary, 3), indices_or_sections, 2)


def _with_axes(function: str, ary: ArrayLike, n: int) -> Array:
    a = asarray(ary)
    if a.ndim < n:
        raise ValueError(f"{function} takes an array of at least {n} axes, got shape {a.shape}")
    return a
