"""Operands of control flow, and the carry of a loop: which types it has, and that they stay the same.

A Python number in the initial carry has no dtype of its own. It goes into the loop as a `Weak`, and the leaf takes on
the dtype that the function gives for it; as long as the function gives none, it stays weak.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.core.weak import is_weak, strong, weak
from funcgrad.errors import ArgumentError
from funcgrad.lax.agreement import carry_structure_error, carry_type_error
from funcgrad.lax.closing import on_shapes
from funcgrad.transforms.arguments import leaf_value
from funcgrad.transforms.make_tape import Kind

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


def kind_of(x: Any) -> Kind:
    """The type of a leaf."""
    return Kind(x.shape, x.dtype, is_weak(x))


def _takes(old: Kind, new: Kind) -> bool:
    """Whether a leaf may change its type so: a number without a dtype of its own may get one that can hold it."""
    if not old.weak or new.shape != old.shape:
        return new == old
    return np.result_type(_NUMBER_OF[old.dtype.kind], new.dtype) == new.dtype


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
        self.kinds = [kind_of(x) for x in leaves]
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
        kinds = [kind_of(x) for x in found]
        if not all(map(_takes, self.kinds, kinds)):
            raise carry_type_error(self.name, self.argument(), structure, self.kinds, kinds)
        self.settled, self.kinds = kinds == self.kinds, kinds
        self.convert = any(x is not y for x, y in zip(found, leaves, strict=True))
        return structure.unflatten(found)

    def settle(self, leaves: Sequence[Any], others: Sequence[ShapeDtypeStruct], step: Callable[..., Any]) -> list[Any]:
        """The initial carry with the types that it has in the loop.

        Arguments:
            leaves: of the initial carry.
            others: the types of what a step takes beside.
            step: a function of flat arguments that makes the next carry and shows it to `after`. It is run on shapes
                until the types are known.
        """
        while self.weak and not self.settled:
            on_shapes(step, [*self.kinds, *others], self.name)
        self.settled = False  # what gives the final tape is checked as well
        return [strong(_fitted(x, kind)) for x, kind in zip(leaves, self.kinds, strict=True)]

    def untaken(self, leaves: Sequence[Any], step: Callable[..., Any]) -> list[Any]:
        """The initial carry of a loop that takes no step, with the dtypes that it would have had if it took one.

        The arguments are those of `settle`. Nothing is said of a step that fails: it is not taken.
        """
        with suppress(Exception):
            return self.settle(leaves, [], step)
        return [strong(x) for x in leaves]


def _fitted(x: Any, kind: Kind) -> Any:
    """What has no dtype of its own, where a number of some dtype is wanted that can hold it, as that."""
    if not is_weak(x) or kind.weak or kind.shape != ():
        return x
    if np.result_type(_NUMBER_OF[x.dtype.kind], kind.dtype) != kind.dtype:
        return x
    return strong(x).astype(kind.dtype)


def flag(x: Any, name: str) -> Any:
    """What decides whether a loop goes on: a boolean scalar, as an Array or tracer, or a Python bool.

    Raises:
        ArgumentError: it is something else.
    """
    if isinstance(x, (bool, np.bool_)) or (isinstance(x, Array) and x.shape == () and x.dtype == bool):
        return x
    leaves, structure = operands(x, name)
    if structure.node_data() is not None:
        raise ArgumentError(f"cond_fun must return a boolean scalar, but got pytree {structure}.")
    kinds = ", ".join([f"{leaf.dtype}[{','.join(map(str, leaf.shape))}]" for leaf in leaves])
    raise ArgumentError(
        f"cond_fun must return a boolean scalar, but got output type(s) [{kinds}]. Compare it with something, or "
        f"reduce it with funcgrad.numpy.any or all"
    )
