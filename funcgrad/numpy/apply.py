"""Functions that apply a Python function to parts of arrays: apply_along_axis, vectorize, fromfunction, …

The function is called once for each part, with Arrays or tracers, and the results are stacked. So what it computes is
differentiated like anything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import ArgumentError
from funcgrad.numpy.constructors import zeros
from funcgrad.numpy.convert import asarray, normalize_axis_index
from funcgrad.numpy.grids import indices
from funcgrad.numpy.joining import stack
from funcgrad.numpy.shapes import astype, broadcast_to, expand_dims, integers, moveaxis

__all__ = ["apply_along_axis", "apply_over_axes", "fromfunction", "vectorize"]


def apply_along_axis(func1d: Callable, axis: int, arr: ArrayLike, *args: Any, **kwargs: Any) -> Shaped[Array, "..."]:
    """The results of a function of vectors on all slices of an array along an axis.

    Arguments:
        func1d: takes a vector, and args and kwargs; its result takes the place of the axis.
        axis: of the array.
        arr: the array.
        args, kwargs: passed on.

    Raises:
        ValueError: there is no slice to apply the function to.

    Example:
        >>> fnp.apply_along_axis(lambda v: v[0] * v[1], 0, [[1.0, 2.0], [3.0, 4.0]])
        Array([3., 8.], dtype=float64)
    """
    a = asarray(arr)
    axis = normalize_axis_index(axis, a.ndim)
    a = moveaxis(a, axis, -1)
    rest = a.shape[:-1]
    parts = [asarray(func1d(a[i], *args, **kwargs)) for i in np.ndindex(rest)]
    if not parts:
        raise ValueError(f"apply_along_axis: an array of shape {np.shape(arr)} has no slices along axis {axis}")
    n = parts[0].ndim
    out = stack(parts).reshape(rest + parts[0].shape)
    return moveaxis(out, range(len(rest), len(rest) + n), range(axis, axis + n))


def apply_over_axes(func: Callable, a: ArrayLike, axes: int | Sequence[int]) -> Shaped[Array, "..."]:
    """The result of a function `(array, axis)`, such as a sum, applied over one axis after the other.

    Arguments:
        func: gives an array with the same axes, or with that axis removed, which then comes back with length one.
        a: the array.
        axes: over which to apply it.

    Raises:
        ValueError: the function gives another number of axes.

    Example:
        >>> fnp.apply_over_axes(fnp.sum, [[1.0, 2.0], [3.0, 4.0]], (0, 1))
        Array([[10.]], dtype=float64)
    """
    a = asarray(a)
    n = a.ndim
    for axis in integers(axes):
        axis = normalize_axis_index(axis, n)
        out = asarray(func(a, axis))
        a = expand_dims(out, axis) if out.ndim == n - 1 else out
        if a.ndim != n:
            raise ValueError(f"apply_over_axes: func must keep or remove one of {n} axes, it gave {out.ndim}")
    return a


def fromfunction(function: Callable, shape: int | Sequence[int], *, dtype: Any = float, **kwargs: Any) -> Any:
    """The result of a function of index arrays, one for each axis of a shape.

    Arguments:
        function: takes as many arrays as the shape has axes, and kwargs.
        shape: of the index arrays.
        dtype: of the index arrays.
        kwargs: passed on.

    Example:
        >>> fnp.fromfunction(lambda i, j: 10 * i + j, (2, 2))
        Array([[ 0.,  1.],
               [10., 11.]], dtype=float64)
    """
    return function(*indices(shape, dtype=dtype), **kwargs)


class vectorize:  # noqa: N801  (NumPy's name)
    """A function of scalars as one of arrays, which broadcast; or, with a signature, of arrays with loop axes in front.

    Arguments:
        pyfunc: takes and gives numbers (with a signature: arrays), or gives a tuple of them. Left out, the result
            is a decorator.
        otypes: the dtypes of the results, one letter or dtype each; by default what the results promote to.
        doc: the docstring of the result.
        excluded: positions and names of arguments that are passed as they are; None is passed so in any case.
        cache: without effect; it says in NumPy whether the first call, which finds the dtype, is made twice.
        signature: the core axes of arguments and results, such as "(m,n),(n)->(m)".

    Raises:
        TypeError, ValueError: at the call: arguments that do not fit the signature, or no element to call pyfunc with.

    Example:
        >>> fnp.vectorize(lambda a, b: a if a > b else b)([1.0, 5.0], 2.0)
        Array([2., 5.], dtype=float64)

    Source: numpy.vectorize (https://numpy.org/doc/stable/reference/generated/numpy.vectorize.html)
    """

    def __init__(
        self,
        pyfunc: Callable | None = None,
        otypes: str | Iterable[Any] | None = None,
        doc: str | None = None,
        excluded: Iterable[int | str] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ) -> None:
        self.otypes = None if otypes is None else [np.dtype(t) for t in otypes]
        self.excluded = frozenset(excluded or ())
        self.signature = None if signature is None else _parse(signature)
        self.doc = doc
        self._set(pyfunc)

    def _set(self, pyfunc: Callable | None) -> None:
        self.pyfunc = pyfunc
        self.__doc__ = self.doc if self.doc is not None else getattr(pyfunc, "__doc__", None)
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.pyfunc is None:  # used as a decorator with options: @vectorize(signature=...)
            (pyfunc,) = args
            self._set(pyfunc)
            return self
        places: list[int | str] = [i for i, x in enumerate(args) if i not in self.excluded and x is not None]
        places += [k for k, x in kwargs.items() if k not in self.excluded and x is not None]
        nothing = [i for i, x in enumerate(args) if x is None and i not in self.excluded]
        if self.signature is not None and nothing:
            raise ValueError(f"vectorize: the signature gives axes to the arguments {nothing}, which are None")
        arrays = [asarray(args[p] if isinstance(p, int) else kwargs[p]) for p in places]
        sizes: dict[str, int] = {}
        cores, loop = self._loops(arrays, sizes)
        spread = [broadcast_to(a, loop + c) for a, c in zip(arrays, cores, strict=True)]
        results = []
        for i in np.ndindex(loop):
            full, named = list(args), dict(kwargs)
            for p, a in zip(places, spread, strict=True):
                given: Any = full if isinstance(p, int) else named
                given[p] = a[i]
            results.append(self.pyfunc(*full, **named))
        return self._collect(results, loop, sizes)

    def _loops(self, arrays: list[Array], sizes: dict[str, int]) -> tuple[list[tuple[int, ...]], tuple[int, ...]]:
        """The core shape of each argument, and the shape of the loop axes."""
        if self.signature is None:
            return [()] * len(arrays), np.broadcast_shapes(*[a.shape for a in arrays])
        wanted = self.signature[0]
        if len(wanted) != len(arrays):
            raise TypeError(f"vectorize: the signature has {len(wanted)} arguments, but {len(arrays)} were given")
        pairs = enumerate(zip(arrays, wanted, strict=True))
        cores = [_core(a, names, sizes, f"argument {k}") for k, (a, names) in pairs]
        loops = [a.shape[: a.ndim - len(c)] for a, c in zip(arrays, cores, strict=True)]
        return cores, np.broadcast_shapes(*loops)

    def _collect(self, results: list[Any], loop: tuple[int, ...], sizes: dict[str, int]) -> Any:
        if not results:
            return self._empty(loop, sizes)
        several = isinstance(results[0], tuple)
        columns = list(zip(*[r if several else (r,) for r in results], strict=True))
        expected = len(self.signature[1]) if self.signature else len(self.otypes) if self.otypes else len(columns)
        if len(columns) != expected:
            raise ArgumentError(f"vectorize: {expected} results were expected, but the function gives {len(columns)}")
        outs = []
        for k, column in enumerate(columns):
            parts = [asarray(x) for x in column]
            if self.signature:
                for x in parts:
                    _core(x, self.signature[1][k], sizes, f"result {k}", exact=True)
            elif parts[0].ndim:
                raise ValueError(f"vectorize: without a signature pyfunc must give numbers, got shape {parts[0].shape}")
            out = stack(parts).reshape(loop + parts[0].shape)
            outs.append(astype(out, self.otypes[k]) if self.otypes else out)
        return tuple(outs) if several else outs[0]

    def _empty(self, loop: tuple[int, ...], sizes: dict[str, int]) -> Any:
        if self.otypes is None:
            raise ValueError(f"vectorize: with no elements (loop shape {loop}) the dtype of the result needs otypes=")
        names = self.signature[1] if self.signature else [()] * len(self.otypes)
        unknown = [n for core in names for n in core if n not in sizes]
        if unknown:
            raise ValueError(f"vectorize: with no elements the lengths of {unknown} in the result are unknown")
        outs = [zeros(loop + tuple(sizes[n] for n in c), t) for c, t in zip(names, self.otypes, strict=True)]
        return tuple(outs) if len(outs) > 1 else outs[0]


def _parse(signature: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The names of the core axes of arguments and results."""
    one = r"\(\s*(?:\w+\s*(?:,\s*\w+\s*)*)?\)"
    if not re.fullmatch(rf"\s*(?:{one}\s*(?:,\s*{one}\s*)*)?->\s*{one}\s*(?:,\s*{one}\s*)*", signature):
        raise ValueError(f'vectorize: a signature looks like "(m,n),(n)->(m)", got {signature!r}')
    left, right = signature.split("->")
    return _groups(left), _groups(right)


def _groups(text: str) -> list[tuple[str, ...]]:
    return [tuple(re.findall(r"\w+", group)) for group in re.findall(r"\(([^)]*)\)", text)]


def _core(x: Array, names: tuple[str, ...], sizes: dict[str, int], what: str, exact: bool = False) -> tuple[int, ...]:
    """The last lengths of an array, checked against the names of its core axes, whose lengths are noted in sizes."""
    if x.ndim < len(names) or (exact and x.ndim > len(names)):
        axes = ",".join(names)
        raise ValueError(f"vectorize: {what} has shape {x.shape}, but the signature gives it the axes ({axes})")
    core = x.shape[x.ndim - len(names) :]
    for name, n in zip(names, core, strict=True):
        if sizes.setdefault(name, n) != n:
            raise ValueError(f"vectorize: the axis {name} has length {n} in {what}, but {sizes[name]} before")
    return core
