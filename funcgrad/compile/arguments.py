"""The arguments of one call of a compiled function: static ones apart, the others as leaves with their types."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.signature import Marked, signature_of
from funcgrad.compile.tracing import Argument
from funcgrad.core import tree
from funcgrad.core.array import NATIVE, Array, is_number, native, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.core.weak import Weak, is_weak
from funcgrad.errors import ArgumentError, IntegerRangeError
from funcgrad.ops.elements import OBJECT
from funcgrad.transforms.arguments import float0, leaf_value, weak_or_value
from funcgrad.transforms.wraps import name_of

DTYPES = {kind: np.dtype(kind) for kind in (bool, int, float, complex)}
"""The dtypes of Python numbers that stand alone."""


class Hollow:
    """A cotangent of dtype float0, which holds nothing: a part of the structure, not a leaf."""

    __slots__ = ("shape",)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


tree.register_pytree_node(Hollow, lambda h: ((), h.shape), lambda shape, _: np.zeros(shape, float0))


def is_hollow(x: Any) -> bool:
    """Whether a leaf is of dtype float0."""
    return type(x) is np.ndarray and x.dtype == float0


def hollowed(structure: Any) -> Any:
    """A pytree whose float0 leaves are part of the structure, which gives them back."""
    if not any(is_hollow(x) for x in tree.leaves(structure)):
        return structure
    return tree.map(lambda x: Hollow(x.shape) if is_hollow(x) else x, structure)


def statics(static: Marked, args: tuple, kwargs: dict) -> tuple[list[int], list[str]]:
    """The positions and names of the arguments of a call that are static."""
    n = len(args)
    return sorted({k % n for k in static.numbers if -n <= k < n}), [k for k in static.names if k in kwargs]


class Given:
    """The arguments of one call.

    Arguments:
        f: the function.
        args, kwargs: its arguments.
        static: which are no arrays, but part of the program.
        abstract: whether a ShapeDtypeStruct may stand for an array.

    Attributes:
        leaves, in_tree: of `(args, kwargs)` without the static ones.
        types: shape, dtype and weakness of each leaf.
        key: what a program for these arguments is found by.

    Raises:
        ArgumentError: a leaf is no array, or a static argument cannot be hashed.
    """

    __slots__ = ("args", "f", "in_tree", "key", "kwargs", "leaves", "places", "types")

    def __init__(self, f: Callable, args: tuple, kwargs: dict, static: Marked, abstract: bool = False) -> None:
        self.f, self.args, self.kwargs = f, args, kwargs
        self.places: Sequence[int] = range(len(args))
        held: tuple = ()
        dynamic = kwargs
        if static.numbers or static.names:
            numbers, names = statics(static, args, kwargs)
            self.places = [i for i in range(len(args)) if i not in numbers]
            args = tuple([args[i] for i in self.places])
            dynamic = {k: v for k, v in kwargs.items() if k not in names}
            held = tuple([(k, *_hashable(v)) for k, v in self._static(numbers, names)])
        self.leaves, self.in_tree = tree.flatten((args, dynamic))
        if any(type(x) is np.ndarray and x.dtype == float0 for x in self.leaves):
            self.leaves, self.in_tree = tree.flatten(hollowed((args, dynamic)))
        self.types = [
            (x._value.shape, x._value.dtype, False) if type(x) is Array else self._type(k, x, abstract)
            for k, x in enumerate(self.leaves)
        ]
        self.key = (self.in_tree, held, tuple(self.types))

    def _static(self, numbers: Sequence[int], names: Sequence[str]) -> list[tuple[Any, Any]]:
        return [*[(i, self.args[i]) for i in numbers], *[(k, self.kwargs[k]) for k in sorted(names)]]

    def _type(self, k: int, x: Any, abstract: bool) -> tuple[tuple[int, ...], np.dtype, bool]:
        kind = type(x)
        if kind is np.ndarray:
            if is_number(x.dtype):
                return x.shape, native(x.dtype), False
            if x.dtype is OBJECT:  # of traced numbers
                x = self.leaves[k] = self._value(k, x)
        if kind in DTYPES and (kind is not int or -(2**63) <= x < 2**63):
            return (), DTYPES[kind], kind is not bool
        if isinstance(x, Array) or (abstract and isinstance(x, ShapeDtypeStruct)):
            if isinstance(x, Tracer):
                x._check_alive()
            return x.shape, x.dtype, is_weak(x)
        value = self._value(k, x)
        return value.shape, value.dtype, kind is int

    def _value(self, k: int, x: Any) -> Any:
        """A leaf as an owned value.

        Raises:
            ArgumentError: it is no array.
        """
        function = getattr(self.f, "__qualname__", type(self.f).__name__)
        try:
            return leaf_value(x, lambda: f"jit: the argument {self.name(k)} of {function}")
        except IntegerRangeError as e:
            raise IntegerRangeError(
                f"An overflow was encountered while parsing an argument to a jitted computation, whose argument path "
                f"is {self.name(k)}. {e}"
            ) from None
        except ArgumentError as e:
            raise ArgumentError(
                f"{e} Error interpreting argument to {function} as an abstract array. The problematic value is of type "
                f"{type(x)} and was passed to the function at path {self.name(k)}. If it is part of the program, mark "
                f"it as static: fg.jit(f, static_argnames=...)"
            ) from None

    def name(self, k: int) -> str:
        """What the user calls the leaf of number k."""
        return self.names()[k]

    def names(self) -> list[str]:
        """What the user calls the leaves."""
        signature = signature_of(self.f)
        parameters = list(signature.parameters.values()) if signature else []
        found = []
        for path, _ in tree.leaves_with_path(self.in_tree.unflatten(range(len(self.leaves)))):
            top, rest = path[1], tree.keystr(path[2:])
            base = top.key if path[0].idx == 1 else _positional(parameters, self.places[top.idx])
            found.append(f"{base}{rest}")
        return found

    def arguments(self) -> list[Argument]:
        """The leaves as a program takes them."""
        function = name_of(self.f)
        return [
            Argument(shape, dtype, weak, name, function)
            for (shape, dtype, weak), name in zip(self.types, self.names(), strict=True)
        ]

    def values(self, copies: bool) -> list[Any]:
        """The leaves as raw values and tracers; with `copies` ndarrays are copied, for results may be views of them."""
        return [x._value if type(x) is Array else self._raw(k, x, copies) for k, x in enumerate(self.leaves)]

    def arrays(self) -> list[Any]:
        """The leaves as Arrays and tracers; numbers have no dtype of their own."""
        return [wrap(weak_or_value(x, str)) for x in self.leaves]

    def _raw(self, k: int, x: Any, copies: bool) -> Any:
        if isinstance(x, Tracer):
            return x
        if type(x) is Weak:
            return x._leave("")
        if type(x) is np.ndarray and not copies and x.dtype in NATIVE:
            return x
        return self._value(k, x)

    def call(self, leaves: Sequence[Any]) -> Any:
        """What the function gives with these in the places of the leaves."""
        dynamic, named = self.in_tree.unflatten(leaves)
        full = list(self.args)
        for i, x in zip(self.places, dynamic, strict=True):
            full[i] = x
        return self.f(*full, **{**self.kwargs, **named})


def _positional(parameters: Sequence[inspect.Parameter], position: int) -> str:
    """What the user calls the positional argument of a number."""
    for i, p in enumerate(parameters):
        if p.kind is p.VAR_POSITIONAL:
            return f"{p.name}[{position - i}]"
        if i == position:
            return p.name
    return f"args[{position}]"


def _hashable(x: Any) -> tuple[type, Any]:
    """A static argument as part of a key: 1, 1.0 and True are three.

    Raises:
        ArgumentError: it cannot be hashed.
    """
    try:
        hash(x)
    except TypeError as e:
        raise ArgumentError(
            f"jit: Non-hashable static arguments are not supported, for the program made for a value is found by that "
            f"value. An error occurred while trying to hash an object of type {type(x)}, {x}. The error was:\n"
            f"TypeError: {e}\nPass a tuple instead of a list, or an array as an argument that is not static"
        ) from None
    return type(x), x
