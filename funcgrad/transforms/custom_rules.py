"""What `custom_jvp` and `custom_vjp` share: which arguments there are, and zeros that are known to be zeros."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core.array import Array, is_inexact, native, wrap
from funcgrad.core.trace import zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.core.weak import is_weak
from funcgrad.errors import ArgumentError, CustomRuleError, type_text
from funcgrad.transforms.arguments import float0, input_values
from funcgrad.transforms.bodies import FunctionBody
from funcgrad.transforms.closing import weakened
from funcgrad.transforms.wraps import name_of


class SymbolicZero:
    """A zero tangent or cotangent that is known to be zero: it has a shape and a dtype, and no elements.

    Rules see it if they were defined with `symbolic_zeros=True`, and may give it back.

    Example:
        >>> fg.SymbolicZero((2,), float)
        SymbolicZero(float64[2])

    Source: `jax.custom_derivatives.SymbolicZero`.
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = tuple(shape), native(dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def instantiate(self) -> Any:
        """The zeros."""
        found = zeros(self.shape, self.dtype)
        return found if self.dtype == float0 else wrap(found)

    def __repr__(self) -> str:
        return f"SymbolicZero({type_text(self)})"


def zero_from_primal(x: Any, symbolic_zeros: bool = False) -> Any:
    """The zero tangent of a value.

    Arguments:
        x: an array or a number.
        symbolic_zeros: whether it shall be a SymbolicZero.

    Returns:
        Zeros like x; of dtype float0 if x is of integers or booleans, which have no tangents.

    Example:
        >>> from funcgrad.custom_derivatives import zero_from_primal
        >>> zero_from_primal(2.0), zero_from_primal(3)
        (Array(0., dtype=float64), array((b'',), dtype=[('float0', 'V')]))

    Source: `jax.custom_derivatives.zero_from_primal`.
    """
    dtype = x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
    zero = SymbolicZero(np.shape(x), dtype if is_inexact(dtype) else float0)
    return zero if symbolic_zeros else zero.instantiate()


def is_zero(x: Any) -> bool:
    """Whether a tangent or cotangent that a rule gave is known to be zero."""
    return isinstance(x, SymbolicZero) or getattr(x, "dtype", None) == float0


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
        functools.update_wrapper(self, fun)
        self.fun, self.title = fun, name_of(fun)
        try:
            self.signature: Any = inspect.signature(fun)
        except (TypeError, ValueError):  # some builtins have none
            self.signature = None
        parameters = list(self.signature.parameters.values()) if self.signature else []
        positional = all(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
        self.arity = len(parameters) if self.signature and positional else None
        numbers = [nondiff_argnums] if isinstance(nondiff_argnums, int) else list(nondiff_argnums)
        names = [nondiff_argnames] if isinstance(nondiff_argnames, str) else list(nondiff_argnames)
        known = [p.name for p in parameters]
        for n in names:
            if n not in known:
                raise ArgumentError(f"{self.transform}: nondiff_argnames names {n!r}, but {self.title} takes {known}")
        self.nondiff_argnums = tuple(sorted({index(n) for n in numbers} | {known.index(n) for n in names}))

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.check()
        args = self.positional(args, kwargs)
        given, values = Given.of(self, args)
        outs = self.call(given)(*values)
        return given.out_tree.unflatten(outs)

    def check(self) -> None:
        """See that there is a rule.

        Raises:
            CustomRuleError: there is none.
        """
        raise TypeError(f"{type(self).__name__} must define check")

    def call(self, given: Given) -> Any:
        """The call of the function with these arguments."""
        raise TypeError(f"{type(self).__name__} must define call")

    def positional(self, args: tuple, kwargs: dict) -> tuple:
        """All arguments by position, defaults filled in, for that is how rules take them."""
        if not kwargs and len(args) == self.arity:
            return args
        if self.signature is None or isinstance(self.fun, functools.partial):
            if kwargs:
                raise ArgumentError(
                    f"{self.transform}: pass arguments to {self.title} by position, for its signature is not known"
                )
            return args
        where = f"The input arguments to the {self.transform}-decorated function {self.title}"
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as e:
            raise ArgumentError(f"{where} don't fit it:\n{e}") from None
        bound.apply_defaults()
        passed = [k for k in bound.kwargs if k in kwargs]
        if passed:
            raise ArgumentError(
                f"{where} can't all be handed to its rules, which take them by position.\nThe following keyword "
                f"arguments could not be resolved to positions: {', '.join(passed)}"
            )
        return bound.args


class Given(FunctionBody):
    """The body that a custom function is for the arguments of one call: a function of the leaves of those that are
    differentiated. It does not keep these leaves, which a tape may need no more.

    Attributes:
        nondiff: the arguments that rules get as they are.
        places: the positions of the others.
        in_tree: the structure of the tuple of the others.
        weak: for each leaf of the others whether it has no dtype of its own, as Python numbers have none.
    """

    __slots__ = ("fixed", "nondiff", "places", "weak")

    def __init__(
        self, function: CustomFunction, nondiff: tuple, fixed: list[Any], places: list[int], in_tree: Any, weak: list
    ) -> None:
        super().__init__(function.fun, in_tree, function.title)
        self.nondiff, self.fixed, self.places, self.weak = nondiff, fixed, places, weak

    @classmethod
    def of(cls, function: CustomFunction, args: tuple) -> tuple[Given, list[Any]]:
        """The body for the arguments of a call, and the leaves that it takes."""
        where = [n + len(args) if n < 0 else n for n in function.nondiff_argnums]
        for n in where:
            if not 0 <= n < len(args):
                raise ArgumentError(
                    f"{function.transform}: nondiff_argnums={function.nondiff_argnums}, but {function.title} was "
                    f"called with {len(args)} arguments"
                )
        nondiff = tuple([args[n] for n in where])
        places = [i for i in range(len(args)) if i not in where]
        fixed = [args[i] if i in where else None for i in range(len(args))]
        values, in_tree = input_values(tuple([args[i] for i in places]), function.title, places, keep_weak=True)
        return cls(function, nondiff, fixed, places, in_tree, [is_weak(x) for x in values]), values

    def called(self, args: Sequence[Any]) -> Any:
        return self.f(*self.full(self.others(args)))

    def typed(self, leaves: Sequence[Any]) -> list[Any]:
        """Leaves of the arguments that are not nondiff, or what belongs to them, with the dtypes that they came with.

        A number that had none of its own has none again, if it has been on a tape in the meantime.
        """
        return [weakened(x) if w else x for x, w in zip(leaves, self.weak, strict=True)]

    def others(self, leaves: Sequence[Any]) -> tuple:
        """The arguments that are not nondiff, or what belongs to them, from their leaves."""
        return self.in_tree.unflatten(self.typed(leaves))

    def full(self, xs: Sequence[Any]) -> list[Any]:
        """All arguments, with these in the places of the others."""
        full = list(self.fixed)
        for i, x in zip(self.places, xs, strict=True):
            full[i] = x
        return full

    def check_primal_out(self, rule: str, what: str, outs: list[Any], out_tree: Any) -> None:
        """See that the result which a rule gives is like that of the function, as far as the function has run.

        Raises:
            CustomRuleError: it is not.
        """
        head = f"{rule} for function {self.name} must produce a pair (list or tuple of length two) where {what}, but"
        if self.out_tree is None:
            self.out_tree = out_tree
        elif self.out_tree != out_tree:
            raise CustomRuleError(
                f"{head} instead the first element had container/pytree structure:\n    {out_tree}\nwhile the "
                f"function had output container/pytree structure:\n    {self.out_tree}"
            )
        if self.out_kinds is not None:
            found, expected = [", ".join(map(type_text, kinds)) for kinds in (outs, self.out_kinds)]
            if found != expected:
                raise CustomRuleError(
                    f"{head} instead the first element had shapes/dtypes of:\n    {found}\nwhile the function had "
                    f"output shapes/dtypes of:\n    {expected}"
                )


def pair(found: Any, rule: str, name: str, what: str) -> Any:
    """What a rule gave, known to be a pair.

    Raises:
        CustomRuleError: it is none.
    """
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        shown = str(found) if isinstance(found, Array) else repr(found)
        raise CustomRuleError(
            f"{rule} for function {name} must produce a pair (list or tuple of length two) representing {what}, but "
            f"got {shown}"
        )
    return found


def kinds_of(xs: Sequence[Any]) -> list[ShapeDtypeStruct]:
    """Shapes and dtypes."""
    return [ShapeDtypeStruct(x.shape, x.dtype) for x in xs]
