"""Ufuncs as objects: `frompyfunc`, and what `fnp.add` has beside being a function: `reduce`, `at`, `nin`, `identity`, …

The ufuncs of the namespace are plain functions, for a call of one is the hot path of programs on small arrays; here
they get the attributes of NumPy's ufuncs. Their methods are those that `np.add.reduce(x)` calls, see ufunc_methods.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import index as as_int
from types import FunctionType
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.numpy import ufunc_methods
from funcgrad.numpy.apply import vectorize
from funcgrad.numpy.at import At
from funcgrad.numpy.constructors import full
from funcgrad.numpy.convert import asarray, normalize_axis_index, reject, wrap
from funcgrad.numpy.joining import stack
from funcgrad.numpy.reductions import axes
from funcgrad.numpy.shapes import broadcast_to, moveaxis, reshape, transpose
from funcgrad.numpy.writing import write

__all__ = ["frompyfunc", "install_methods", "ufunc"]


class _Type(type):
    """The functions of the namespace that are NumPy's ufuncs count as instances of `ufunc`."""

    _functions: frozenset[Callable] = frozenset()

    def __instancecheck__(cls, x: Any) -> bool:
        return super().__instancecheck__(x) or (type(x) is FunctionType and x in _Type._functions)


class ufunc(metaclass=_Type):  # noqa: N801  (NumPy's name)
    """A function of numbers as one of arrays, with the methods of NumPy's ufuncs. `frompyfunc` makes it.

    The function is called once for each element, with Arrays or tracers, so what it computes is differentiated.
    """

    __slots__ = ("__dict__", "_properties")

    def __init__(self, func: Callable, nin: int, nout: int, identity: Any = None) -> None:
        self.__name__ = getattr(func, "__name__", "function")
        self.__doc__ = getattr(func, "__doc__", None)
        self._properties = (func, as_int(nin), as_int(nout), identity)

    @property
    def _func(self) -> Callable:
        return self._properties[0]

    @property
    def nin(self) -> int:
        """How many operands it takes."""
        return self._properties[1]

    @property
    def nout(self) -> int:
        """How many results it gives."""
        return self._properties[2]

    @property
    def nargs(self) -> int:
        """How many arguments it takes: the operands, for there is no `out=`."""
        return self.nin

    @property
    def identity(self) -> Any:
        """What a reduction starts with; None if it starts with the first element."""
        return self._properties[3]

    def __hash__(self) -> int:
        return hash(self._properties)

    def __eq__(self, other: object) -> bool:
        return type(other) is ufunc and self._properties == other._properties

    def __repr__(self) -> str:
        return f"<funcgrad.numpy.ufunc {self.__name__!r}>"

    def __call__(self, *args: ArrayLike, out: Any = None, where: Any = None) -> Any:
        """The function on all elements of arrays that broadcast.

        Raises:
            TypeError: another number of arguments.
            ValueError: the function gives another number of results, or arrays.
        """
        reject(self.__name__, out=out, where=where)
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} arrays, got {len(args)}")
        arrays = [asarray(a) for a in args]
        shape = np.broadcast_shapes(*[a.shape for a in arrays])
        if 0 in shape:
            empty = [full(shape, 0, dtype) for dtype in self._dtypes(*[a.dtype for a in arrays])]
            return empty[0] if self.nout == 1 else tuple(empty)
        results = vectorize(self._func)(*arrays)
        given = len(results) if isinstance(results, tuple) else 1
        if given != self.nout:
            raise ValueError(f"{self.__name__} should give {self.nout} results, it gives {given}")
        return results

    def _dtypes(self, *dtypes: np.dtype) -> list[np.dtype]:
        """The dtypes of the results for numbers of some dtypes."""
        results = self._func(*[asarray(np.ones((), d)) for d in dtypes])
        return [asarray(r).dtype for r in (results if isinstance(results, tuple) else (results,))]

    def _is_binary(self, method: str) -> None:
        if (self.nin, self.nout) != (2, 1):
            raise ValueError(
                f"{self.__name__}.{method} is there for functions of two numbers with one result, not for "
                f"{self.nin} and {self.nout}"
            )

    def reduce(
        self,
        a: ArrayLike,
        axis: int | tuple[int, ...] | None = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: ArrayLike | None = None,
        where: ArrayLike | None = None,
    ) -> Shaped[Array, "..."]:
        """The function applied to one element after the other along axes.

        Arguments:
            a: an array.
            axis: one axis, several, or None for all.
            dtype: of the result; by default what the function gives for two elements.
            out: must be None.
            keepdims: whether the axes stay, with length one.
            initial: what to start with; by default the identity, and without one the first element.
            where: booleans that say which elements count.

        Raises:
            ValueError: there is nothing to start with, but no element, or a `where`.
        """
        self._is_binary("reduce")
        reject(f"{self.__name__}.reduce", out=out)
        x = asarray(a)
        dtype = np.dtype(dtype) if dtype is not None else self._dtypes(x.dtype, x.dtype)[0]
        along = axes(axis, x.ndim)
        rest = [k for k in range(x.ndim) if k not in along]
        count = int(np.prod([x.shape[k] for k in along]))
        shape = tuple([x.shape[k] for k in rest])
        rows, mask = [
            reshape(transpose(y, (*along, *rest)), (count, *shape))
            for y in (x, broadcast_to(True if where is None else where, x.shape))
        ]
        start = self.identity if initial is None else initial
        if start is None and (not count or where is not None):
            lack = "a reduction of no elements" if not count else "where="
            raise ValueError(f"{self.__name__}.reduce has no identity; {lack} needs initial=")
        first = 0 if start is not None else 1
        total = broadcast_to(asarray(start), shape) if start is not None else rows[0]
        total = total.astype(dtype)
        for k in range(first, count):
            new = self(total, rows[k].astype(dtype)).astype(dtype)
            total = new if where is None else wrap(np.where(mask[k], new, total))
        if not keepdims:
            return total
        return reshape(total, tuple([1 if k in along else n for k, n in enumerate(x.shape)]))

    def accumulate(self, a: ArrayLike, axis: Any = 0, dtype: Any = None, out: Any = None) -> Shaped[Array, "..."]:
        """The reductions of the first 1, 2, 3, … elements along an axis.

        Raises:
            ValueError: axis is no single axis.
        """
        self._is_binary("accumulate")
        reject(f"{self.__name__}.accumulate", out=out)
        if axis is None or isinstance(axis, (tuple, list)):
            raise ValueError(f"{self.__name__}.accumulate goes along one axis, got {axis!r}")
        x = asarray(a)
        dtype = np.dtype(dtype) if dtype is not None else self._dtypes(x.dtype, x.dtype)[0]
        axis = normalize_axis_index(axis, x.ndim)
        if not x.size:
            return full(x.shape, 0, dtype)
        steps: list[Array] = []
        for row in moveaxis(x, axis, 0).astype(dtype):
            steps.append(self(steps[-1], row).astype(dtype) if steps else row)
        return stack(steps, axis)

    def reduceat(
        self, a: ArrayLike, indices: ArrayLike, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Shaped[Array, "..."]:
        """The reductions of slices along an axis, from each index to the next.

        Raises:
            ValueError: a has no axis, or indices are no vector.
        """
        self._is_binary("reduceat")
        reject(f"{self.__name__}.reduceat", out=out)
        return ufunc_methods.reduceat_by_steps(self, asarray(a, dtype), asarray(indices), axis)

    def outer(self, a: ArrayLike, b: ArrayLike, /) -> Shaped[Array, "..."]:
        """The function of all pairs of an element of a and one of b."""
        self._is_binary("outer")
        return ufunc_methods.outer(self, a, b)

    def at(
        self, a: ArrayLike, indices: Any, b: ArrayLike | None = None, /, *, inplace: bool = True
    ) -> Shaped[Array, "..."]:
        """A copy of an array in which the function was applied to a part of it: `a[indices] = f(a[indices], b)`.

        An element that is named several times goes through the function as often.

        Arguments:
            a: an array.
            indices: what may stand in brackets.
            b: the second operand, if the function has two.
            inplace: must be False, for arrays are immutable.

        Raises:
            ImmutableArrayError, LostTraceError: inplace is True.
        """
        return _at(self, self.nin, a, indices, b, inplace)


def frompyfunc(func: Callable, /, nin: int, nout: int, *, identity: Any = None) -> ufunc:
    """A function of numbers as one of arrays that broadcast, with the methods of NumPy's ufuncs.

    The function is called once for each element. A function that takes arrays as they are needs none of this, and
    `vmap` is quicker.

    Arguments:
        func: takes nin numbers, and gives one, or a tuple of nout of them.
        nin: how many numbers it takes.
        nout: how many it gives.
        identity: what a reduction starts with; by default its first element.

    Returns:
        An object to call, with `reduce`, `accumulate`, `reduceat`, `outer` and `at`.

    Example:
        >>> larger = fnp.frompyfunc(lambda x, y: x if x > y else y, 2, 1)
        >>> larger([1.0, 5.0], 2.0)
        Array([2., 5.], dtype=float64)
        >>> fg.grad(larger.reduce)(fnp.array([1.0, 5.0, 2.0]))
        Array([0., 1., 0.], dtype=float64)

    Source: jax.numpy.frompyfunc (https://docs.jax.dev/en/latest/_autosummary/jax.numpy.frompyfunc.html).
    """
    return ufunc(func, nin, nout, identity)


# The methods of Update that a ufunc is, which know of no order and so need no loop.
_UPDATES = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.divide: "divide",
    np.power: "power",
    np.minimum: "min",
    np.maximum: "max",
}


def _at(function: Callable, nin: int, a: Any, indices: Any, b: Any, inplace: bool) -> Any:
    name = function.__name__
    if (b is None) != (nin == 1):
        raise TypeError(f"{name}.at takes {nin - 1} operands beside the array and the indices")
    operands = () if b is None else (b,)
    if inplace:
        at = function.at if isinstance(function, np.ufunc) else _refused
        remedy = f"y = fnp.{name}.at(y, i{', x' if operands else ''}, inplace=False)"
        return write(at, f"{name}.at(y, i)", remedy, a, indices, *operands)
    part = At(asarray(a))[indices]
    if function in _UPDATES:
        return getattr(part, _UPDATES[function])(b)
    return part.apply(function) if b is None else part.apply_with(function, b)


def _refused(*args: Any) -> Any:
    raise TypeError(
        "at(y, i, x) of a Python function does not write into ndarrays; write y = f.at(y, i, x, inplace=False)"
    )


def install_methods(namespace: Any) -> None:
    """Give the functions of a namespace that are NumPy's ufuncs the attributes and methods of ufuncs.

    Arguments:
        namespace: the module funcgrad.numpy.
    """
    functions: dict[Callable, np.ufunc] = {}
    for name in dir(namespace):
        function, theirs = getattr(namespace, name), getattr(np, name, None)
        if isinstance(theirs, np.ufunc) and theirs.signature is None:
            functions[function] = theirs
    for function, theirs in functions.items():
        given: Any = function
        given.nin, given.nout, given.nargs, given.identity = theirs.nin, theirs.nout, theirs.nin, theirs.identity
        if theirs.nout == 1:
            given.at = _method_at(theirs)
        if (theirs.nin, theirs.nout) == (2, 1):
            for method in (
                ufunc_methods.reduce,
                ufunc_methods.accumulate,
                ufunc_methods.reduceat,
                ufunc_methods.outer,
            ):
                setattr(given, method.__name__, functools.partial(method, theirs))
    _Type._functions = frozenset(functions)


def _method_at(ufunc: np.ufunc) -> Callable:
    def at(a: ArrayLike, indices: Any, b: ArrayLike | None = None, /, *, inplace: bool = True) -> Any:
        return _at(ufunc, ufunc.nin, a, indices, b, inplace)

    return at
