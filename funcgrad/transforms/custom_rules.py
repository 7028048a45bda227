"""What `custom_jvp` and `custom_vjp` share: arguments, symbolic zeros, and the refusal of closures.

The rules stand for the whole derivative of a function, so they can't speak for values that the function closes over: a
result that depends on a differentiated value in any other way than through the arguments is an error.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from functools import update_wrapper
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.trace import Trace, Tracer
from funcgrad.errors import ArgumentError, CustomRuleError


class SymbolicZero:
    """A zero tangent or cotangent that is known to be zero: it has a shape and a dtype, and no elements.

    Rules see it if they were defined with `symbolic_zeros=True`.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def instantiate(self) -> np.ndarray:
        """The zeros."""
        return np.zeros(self.shape, self.dtype)

    def __repr__(self) -> str:
        return f"SymbolicZero({self.dtype}[{','.join(map(str, self.shape))}])"


class CustomFunction:
    """A function together with derivative rules of its user; the common part of custom_jvp and custom_vjp.

    Arguments:
        fun: the function.
        nondiff_argnums, nondiff_argnames: which of its arguments are no arrays, or are not differentiated; rules get
            them as they are, before everything else.
    """

    transform: str

    def __init__(
        self, fun: Callable, nondiff_argnums: Sequence[int] | int = (), nondiff_argnames: Sequence[str] | str = ()
    ) -> None:
        if not callable(fun):
            raise ArgumentError(f"{self.transform} takes a function, got {fun!r} of type {type(fun).__name__}")
        update_wrapper(self, fun)
        self.fun = fun
        try:
            self.signature: Any = inspect.signature(fun)
        except (TypeError, ValueError):  # some builtins have none
            self.signature = None
        numbers = [nondiff_argnums] if isinstance(nondiff_argnums, int) else list(nondiff_argnums)
        names = [nondiff_argnames] if isinstance(nondiff_argnames, str) else list(nondiff_argnames)
        parameters = list(self.signature.parameters) if self.signature else []
        for n in names:
            if n not in parameters:
                raise ArgumentError(
                    f"{self.transform}: nondiff_argnames names {n!r}, but {self.title} takes {parameters}"
                )
        self.nondiff_argnums = tuple(sorted({index(n) for n in numbers} | {parameters.index(n) for n in names}))

    @property
    def title(self) -> str:
        return getattr(self.fun, "__name__", repr(self.fun))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define __call__")

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def positional(self, args: tuple, kwargs: dict) -> tuple:
        """All arguments by position, defaults filled in, for that is how rules take them."""
        if self.signature is None:
            if kwargs:
                raise ArgumentError(f"{self.transform}: {self.title} has no signature, so pass arguments by position")
            return args
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        if bound.kwargs:
            raise ArgumentError(
                f"{self.transform}: the keyword-only arguments {list(bound.kwargs)} of {self.title} can't be handed to "
                f"its rules, which take arguments by position"
            )
        return bound.args

    def split(self, args: tuple) -> tuple[tuple, list[int]]:
        """The nondiff arguments, and the positions of the others."""
        where = [n + len(args) if n < 0 else n for n in self.nondiff_argnums]
        for n in where:
            if not 0 <= n < len(args):
                raise ArgumentError(
                    f"{self.transform}: nondiff_argnums={self.nondiff_argnums}, but {self.title} was called with "
                    f"{len(args)} arguments"
                )
        return tuple([args[n] for n in where]), [i for i in range(len(args)) if i not in where]

    def of_others(self, args: tuple, places: list[int]) -> Callable:
        """The function as one of the arguments at these positions, the others being held."""

        def f(*xs: Any) -> Any:
            full = list(args)
            for i, x in zip(places, xs, strict=True):
                full[i] = x
            return self.fun(*full)

        return f


def derivatives_in(values: Sequence[Any]) -> set[Trace]:
    """The traces that differentiate some of these values."""
    found = set()
    for x in values:
        while isinstance(x, Tracer):
            if x._trace.differentiates:
                found.add(x._trace)
            x = x._value
    return found


def refuse_closures(name: str, outs: list[Any], args: Sequence[Any]) -> list[Any]:
    """The results of a function that has rules of its own, made from these arguments.

    Raises:
        CustomRuleError: a result is being differentiated by a transform that differentiates none of the arguments.
    """
    if derivatives_in(outs) - derivatives_in(args):
        raise CustomRuleError(
            f"detected differentiation of {name} with respect to a value that the function closes over. Its derivative "
            f"rule speaks for its arguments only: pass the value as an argument, or cut it off with stop_gradient"
        )
    return outs
