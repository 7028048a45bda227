"""`LinearMap`: a linear function that is a tape. What `linearize` and `linear_transpose` return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, raw, snapshot, wrap
from funcgrad.core.tape import Equation, Tape, equation
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import type_text
from funcgrad.transforms.form import Form


class LinearMap:
    """A linear function of pytrees that evaluates a tape. Subclasses say what it is called with.

    It is a pytree whose leaves are the arrays on the tape, so it passes through transforms; and it can be pickled.

    Arguments:
        tape: the program.
        inputs, in_tree: shape and dtype of each leaf of the arguments, and their structure.
        outputs, out_tree: those of the result.
    """

    __slots__ = ("in_tree", "inputs", "out_tree", "outputs", "tape")

    def __init__(
        self, tape: Tape, inputs: Sequence[ShapeDtypeStruct], in_tree: Any, outputs: Sequence[Any], out_tree: Any
    ) -> None:
        self.tape = tape
        self.inputs, self.in_tree, self.outputs, self.out_tree = tuple(inputs), in_tree, tuple(outputs), out_tree

    def __init_subclass__(cls) -> None:
        tree.register_pytree_node(cls, _flatten, Form.filled)

    def with_tape(self, tape: Tape) -> Self:
        """The function of another tape."""
        return type(self)(tape, self.inputs, self.in_tree, self.outputs, self.out_tree)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        tape = self.tape  # each of its equations finds its inputs pickled already, so nothing recurs
        parts = (tape.inputs, tape.equations, tape.effects, tape.outputs, tape.in_tree, tape.out_tree)
        return _unpickle, (type(self), *parts, self.inputs, self.in_tree, self.outputs, self.out_tree)

    def __repr__(self) -> str:
        ins, outs = ", ".join(map(type_text, self.inputs)), ", ".join(map(type_text, self.outputs))
        return f"{type(self).__name__}(({ins}) -> ({outs}), {len(self.tape)} equations)"


def _unpickle(
    cls: type, inputs: tuple, equations: tuple, effects: tuple, outputs: tuple, in_tree: Any, out_tree: Any, *rest: Any
) -> LinearMap:
    return cls(Tape(inputs, outputs, in_tree, out_tree, symbolic=True, effects=effects), *rest)


def _is_array(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic, Array))


def _flatten(linear: LinearMap) -> tuple:
    operands = [x for e in linear.tape.equations for x in e.inputs]
    arrays = [wrap(x) for x in (*operands, *linear.tape.outputs) if _is_array(x)]
    return arrays, Form(linear, len(arrays), _with_arrays, _described)


def _described(linear: LinearMap) -> tuple:
    t = linear.tape
    static = type(linear), linear.inputs, linear.in_tree, linear.outputs, linear.out_tree, t.in_tree, t.out_tree
    return (*t.inputs, *t.equations), [*t.inputs, *t.outputs, *t.effects], static


def _with_arrays(linear: LinearMap, arrays: tuple) -> LinearMap:
    """The function with other arrays: the same equations, linked to each other anew."""
    it = iter(arrays)
    copies: dict[Equation, Equation] = {e: e for e in linear.tape.inputs}

    def renewed(x: Any) -> Any:
        return copies[x] if type(x) is Equation else _constant(next(it)) if _is_array(x) else x

    for e in linear.tape.equations:
        inputs = tuple([renewed(x) for x in e.inputs])
        copies[e] = equation(e.number, e.plan, inputs, e.params, (), e.shape, e.dtype)
    t = linear.tape
    outputs, effects = [renewed(o) for o in t.outputs], [copies[e] for e in t.effects]
    return linear.with_tape(Tape(t.inputs, outputs, t.in_tree, t.out_tree, symbolic=True, effects=effects))


def _constant(x: Any) -> Any:
    return raw(x) if isinstance(x, Array) else snapshot(x)
