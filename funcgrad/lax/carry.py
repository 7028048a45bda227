"""Operands of control flow, and the carry of a loop: which types it has, and that they stay the same.

A Python number in the initial carry has no dtype of its own. It goes into the loop as a `Weak`, and the leaf takes on
the dtype that the function gives for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.core.weak import Weak, strong, weak
from funcgrad.errors import ArgumentError
from funcgrad.lax.agreement import carry_structure_error, carry_type_error
from funcgrad.lax.staging import staging
from funcgrad.transforms.arguments import leaf_value
from funcgrad.transforms.make_tape import SymbolicTrace

_NUMBERS = frozenset({int, float, complex})
_NUMBER_OF = {"i": 0, "f": 0.0, "c": 0j}  # by the kind of the dtype that NumPy gives a Python number


def operands(args: PyTree, name: str) -> tuple[list[Any], Any]:
    """The leaves of arguments as Arrays and tracers, numbers as Weak ones, and their structure.

    Raises:
        ArgumentError: a leaf is no array; the message gives its place.
    """
    leaves, structure = tree.flatten(args)
    return [_leaf(x, partial(_place, args, k, name)) for k, x in enumerate(leaves)], structure


def results(out: PyTree, name: str) -> tuple[list[Any], Any]:
    """The leaves of what a loop gives as Arrays and tracers, and their structure."""
    leaves, structure = operands(out, name)
    return [strong(x) for x in leaves], structure


def _leaf(x: Any, place: Callable[[], str]) -> Any:
    if isinstance(x, Array):
        if isinstance(x, Tracer):
            x._check_alive()
        return x
    return weak(x) if type(x) in _NUMBERS else wrap(leaf_value(x, place))


def _place(args: PyTree, k: int, name: str) -> str:
    return f"{name}: the value at {tree.keystr(tree.leaves_with_path(args)[k][0]) or 'the root'}"


class Kind(NamedTuple):
    """The type of a leaf of a carry."""

    shape: tuple[int, ...]
    dtype: np.dtype
    weak: bool

    def takes(self, dtype: np.dtype) -> bool:
        """Whether a weak leaf may become one of this dtype."""
        return self.weak and np.result_type(_NUMBER_OF[self.dtype.kind], dtype) == dtype


class Carry:
    """The types of a carry, learnt from its initial value and from what the function makes of it.

    Arguments:
        leaves, structure: the initial carry.
        name: of the operation, for messages.
        argument: a function that gives what the user calls the carry, for messages.

    Attributes:
        kinds: the types.
        settled: whether another step would tell nothing new.
    """

    __slots__ = ("argument", "convert", "kinds", "name", "settled", "structure")

    def __init__(self, leaves: Sequence[Any], structure: Any, name: str, argument: Callable[[], str]) -> None:
        self.kinds = [Kind(x.shape, x.dtype, type(x) is Weak) for x in leaves]
        self.structure, self.name, self.argument = structure, name, argument
        self.settled = self.convert = False

    @property
    def weak(self) -> bool:
        """Whether a leaf has no dtype of its own yet."""
        return any(kind.weak for kind in self.kinds)

    def after(self, out: PyTree) -> PyTree:
        """What a step gave, as the carry of the next step.

        Raises:
            ArgumentError: it has another structure, or other types.
        """
        if self.settled and not self.convert:
            return out
        leaves, structure = tree.flatten(out)
        if structure != self.structure:
            raise carry_structure_error(self.name, self.argument(), self.structure, structure)
        found = [
            _fitted(_leaf(x, partial(_place, out, k, self.name)), kind)
            for k, (x, kind) in enumerate(zip(leaves, self.kinds, strict=True))
        ]
        kinds = [Kind(x.shape, x.dtype, type(x) is Weak) for x in found]
        for new, old in zip(kinds, self.kinds, strict=True):
            if new != old and not (new.shape == old.shape and old.takes(new.dtype)):
                raise carry_type_error(self.name, self.argument(), structure, self.kinds, kinds)
        self.settled, self.kinds = kinds == self.kinds, kinds
        self.convert = any(x is not y for x, y in zip(found, leaves, strict=True))
        return structure.unflatten(found)

    def settle(
        self, leaves: Sequence[Any], others: Sequence[ShapeDtypeStruct], step: Callable[..., PyTree]
    ) -> list[Any]:
        """The initial carry without weak leaves, as a recorded loop needs it.

        Arguments:
            leaves: of the initial carry.
            others: the types of what a step takes beside.
            step: a function of flat arguments that gives the next carry. It is run on shapes until it tells the types.
        """
        if self.weak:
            trace = SymbolicTrace(self.name)
            with trace, staging(trace):
                while not self.settled:
                    given = [
                        x if kind.weak else trace.input(ShapeDtypeStruct(kind.shape, kind.dtype))
                        for x, kind in zip(leaves, self.kinds, strict=True)
                    ]
                    self.after(step(*given, *[trace.input(kind) for kind in others]))
            self.kinds = [kind._replace(weak=False) for kind in self.kinds]
        self.settled = False
        return [_fitted(x, kind) for x, kind in zip(leaves, self.kinds, strict=True)]

    def untaken(
        self, leaves: Sequence[Any], others: Sequence[ShapeDtypeStruct], step: Callable[..., PyTree]
    ) -> list[Any]:
        """The initial carry of a loop that takes no step, with the dtypes that it would have had if it took one.

        The arguments are those of `settle`. Nothing is said of a step that fails: it is not taken.
        """
        if self.weak:
            with suppress(Exception):
                return self.settle(leaves, others, step)
        return [strong(x) for x in leaves]


def _fitted(x: Any, kind: Kind) -> Any:
    """A Weak, where a number of some dtype is wanted that can hold it, as that."""
    if type(x) is not Weak or kind.weak or kind.shape != () or np.result_type(x._value, kind.dtype) != kind.dtype:
        return x
    return wrap(np.asarray(x._value, kind.dtype)[()])


def flag(x: Any, name: str) -> Any:
    """What decides whether a loop goes on: a boolean scalar, as an Array or tracer, or a Python bool.

    Raises:
        ArgumentError: it is something else.
    """
    if isinstance(x, bool | np.bool_) or (isinstance(x, Array) and x.shape == () and x.dtype == bool):
        return x
    leaves, structure = operands(x, name)
    if structure.node_data() is not None:
        raise ArgumentError(f"cond_fun must return a boolean scalar, but got pytree {structure}.")
    kinds = ", ".join([f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]" for leaf in leaves])
    raise ArgumentError(
        f"cond_fun must return a boolean scalar, but got output type(s) [{kinds}]. Compare it with something, or "
        f"reduce it with funcgrad.numpy.any or all"
    )
