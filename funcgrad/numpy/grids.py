"""Functions and objects that make grids of coordinates and indices: meshgrid, indices, mgrid, r_, ix_, …"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array, native
from funcgrad.core.types import PYTHON_NUMBERS, ArrayLike, Shaped
from funcgrad.numpy.constructors import arange, asarray, linspace
from funcgrad.numpy.convert import wrap
from funcgrad.numpy.joining import concatenate, stack
from funcgrad.numpy.shapes import astype, broadcast_to, integers, reshape

__all__ = ["c_", "index_exp", "indices", "ix_", "meshgrid", "mgrid", "ogrid", "r_", "s_"]


def meshgrid(
    *xi: ArrayLike, copy: bool = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Shaped[Array, "..."], ...]:
    """The coordinates of all points of a grid, from the coordinates along each axis.

    Arguments:
        xi: vectors, or numbers.
        copy: without effect.
        sparse: whether each array keeps length one along the other axes, to be broadcast later.
        indexing: "ij" if axis i is that of xi[i]; in "xy" the first two axes change places.

    Returns:
        A tuple of arrays, one for each of xi.

    Raises:
        ValueError: another indexing.

    Example:
        >>> fnp.meshgrid([1.0, 2.0], [5.0], indexing="ij")
        (Array([[1.],
               [2.]], dtype=float64), Array([[5.],
               [5.]], dtype=float64))
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f'meshgrid: indexing must be "xy" or "ij", got {indexing!r}')
    n = len(xi)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[:2] = [1, 0]
    grids = [reshape(x, (1,) * i + (-1,) + (1,) * (n - 1 - i)) for i, x in zip(order, xi, strict=True)]
    if sparse:
        return tuple(grids)
    full = np.broadcast_shapes(*[g.shape for g in grids])
    return tuple([broadcast_to(g, full) for g in grids])


def indices(
    dimensions: Sequence[int] | int, dtype: Any = int, sparse: bool = False
) -> Shaped[Array, "..."] | tuple[Shaped[Array, "..."], ...]:
    """The indices of all elements of a shape: along its first axis, the second, and so on.

    Arguments:
        dimensions: the shape.
        dtype: of the result.
        sparse: whether to give a tuple of arrays that broadcast, instead of one array.

    Example:
        >>> fnp.indices((1, 2))
        Array([[[0, 0]],
        <BLANKLINE>
               [[0, 1]]], dtype=int64)
    """
    out = np.indices(integers(dimensions), native(dtype), sparse)
    return tuple([wrap(i) for i in out]) if sparse else wrap(out)


def ix_(*args: ArrayLike) -> tuple[Shaped[Array, "..."], ...]:
    """Vectors, each along an axis of its own: as an index they pick the elements where all of them cross.

    Arguments:
        args: vectors; booleans stand for the places where they are true.

    Raises:
        ValueError: an argument is no vector.

    Example:
        >>> fnp.arange(6).reshape(2, 3)[fnp.ix_([0, 1], [True, False, True])]
        Array([[0, 2],
               [3, 5]], dtype=int64)
    """
    out = []
    for i, x in enumerate(args):
        x = asarray(x)
        if x.ndim != 1:
            raise ValueError(f"ix_ takes vectors, got shape {x.shape}")
        if x.size == 0:
            x = astype(x, np.intp)
        elif x.dtype == bool:
            x = wrap(np.flatnonzero(x._concrete("ix_(mask)")))
        out.append(reshape(x, (1,) * i + (-1,) + (1,) * (len(args) - 1 - i)))
    return tuple(out)


# Grids by slices. The ends of slices may be differentiated, for they become linspace and arange.


def _vector(s: slice) -> Array:
    """The numbers that a slice stands for: `a:b:5j` five of them, both ends included, `a:b:c` in steps."""
    start, stop, step = 0 if s.start is None else s.start, s.stop, s.step
    if isinstance(step, complex):
        return linspace(start, stop, int(abs(step)))
    return arange(start, stop, step)


class _Grid:
    """`mgrid` and `ogrid`: what a tuple of slices in brackets spans."""

    def __init__(self, name: str, sparse: bool) -> None:
        self.name, self.sparse = name, sparse
        kind = "arrays that broadcast against each other, in a tuple" if sparse else "one array"
        self.__doc__ = f"""The coordinates of a grid that slices in brackets span, as {kind}.

    A step such as `5j` says how many points, both ends included. The ends may be differentiated.

    Example:
        >>> fnp.{name}[0:1:3j]
        Array([0. , 0.5, 1. ], dtype=float64)

    Source: numpy.{name} (https://numpy.org/doc/stable/reference/generated/numpy.{name}.html)
    """

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        if isinstance(key, slice):
            return _vector(key)
        vectors = [_vector(s) for s in key]
        dtype = np.result_type(*[v.dtype for v in vectors])
        grids = meshgrid(*[astype(v, dtype) for v in vectors], sparse=self.sparse, indexing="ij")
        return grids if self.sparse else stack(grids)

    def __repr__(self) -> str:
        return f"<funcgrad.numpy.{self.name}>"


class _Joiner:
    """`r_` and `c_`: what stands in brackets, joined; slices stand for ranges."""

    def __init__(self, name: str, axis: int, ndmin: int, first: int, example: str) -> None:
        self.name, self.options = name, (axis, ndmin, first)
        self.__doc__ = f"""The arrays, numbers and slices in brackets, joined. All may be differentiated.

    A text such as "0,2" in front says along which axis to join, and the least number of axes. A third number says where
    the axes of an array with fewer go. With "r" or "c" a vector that results becomes one row or column.

    Example:
        >>> {example}

    Source: numpy.{name} (https://numpy.org/doc/stable/reference/generated/numpy.{name}.html)
    """

    def __getitem__(self, key: Any) -> Array:
        items = list(key) if isinstance(key, tuple) else [key]
        axis, ndmin, first = self.options
        shape: Any = None
        if items and isinstance(items[0], str):
            text = items.pop(0)
            try:
                if text in ("r", "c"):  # a vector that results becomes a matrix
                    shape = (1, -1) if text == "r" else (-1, 1)
                else:
                    given = [int(n) for n in text.split(",")]
                    axis, ndmin, first = (*given, *self.options[len(given) :])
            except ValueError:
                raise ValueError(
                    f"{self.name}[{text!r}, ...]: the text must be one to three integers, or 'r' or 'c'"
                ) from None
        if not items:
            raise ValueError(f"{self.name}[...] needs at least one array")
        weak = [x for x in items if type(x) in PYTHON_NUMBERS]
        parts = [_vector(x) if isinstance(x, slice) else asarray(x) for x in items]
        strong = [p.dtype for p, x in zip(parts, items, strict=True) if type(x) not in PYTHON_NUMBERS]
        dtype = np.result_type(*strong, *weak)
        joined = concatenate([astype(_at_least(p, ndmin, first), dtype) for p in parts], axis)
        return reshape(joined, shape) if shape is not None and joined.ndim == 1 else joined

    def __repr__(self) -> str:
        return f"<funcgrad.numpy.{self.name}>"


def _at_least(x: Array, ndmin: int, first: int) -> Array:
    """x with at least ndmin axes, its own beginning at `first`, counted among the new ones (-1: they come last)."""
    new = ndmin - x.ndim
    if new <= 0:
        return x
    first = first % (new + 1)
    return reshape(x, (1,) * first + x.shape + (1,) * (new - first))


mgrid = _Grid("mgrid", sparse=False)
ogrid = _Grid("ogrid", sparse=True)
r_ = _Joiner("r_", 0, 1, -1, "fnp.r_[0:2, 5.0]\n        Array([0., 1., 5.], dtype=float64)")
c_ = _Joiner("c_", -1, 2, 0, "fnp.c_[[1, 2], [3, 4]]\n        Array([[1, 3],\n               [2, 4]], dtype=int64)")
index_exp = np.index_exp
"""What stands in brackets, as a tuple: `x[fnp.index_exp[1:, 0]]` is `x[1:, 0]`."""
s_ = np.s_
"""What stands in brackets, as it is: `x[fnp.s_[1:]]` is `x[1:]`."""
