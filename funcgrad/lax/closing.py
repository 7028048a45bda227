"""Functions that choose or are repeated, written down as bodies.

They are closed like others (transforms/closing.py), with two things more. What a function does to values that it closed
over is written down as well (`staging`). And a number in the carry of a loop that has no dtype of its own, such as the
0 that a loop counts from, is none on the tape either, as long as the function leaves it so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core.tape import Tape, equation
from funcgrad.core.types import PyTree, ShapeDtypeStruct
from funcgrad.lax.staging import staging
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.closing import ClosingTrace, ClosingTracer, close


class Kind(ShapeDtypeStruct):
    """Shape and dtype of a value, and whether the dtype is its own.

    Arguments:
        shape, dtype: of the value.
        weak: whether it is a Python number, or stands for one.
    """

    __slots__ = ("weak",)

    def __init__(self, shape: tuple[int, ...], dtype: Any, weak: bool) -> None:
        super().__init__(shape, dtype)
        self.weak = weak

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kind) and super().__eq__(other) and self.weak == other.weak

    __hash__ = ShapeDtypeStruct.__hash__


class WeakTracer(ClosingTracer):
    """A number without a dtype of its own, on the way to a tape."""

    __slots__ = ()
    weak = True

    def strong(self) -> ClosingTracer:
        """The same value, with the dtype that the number has when it stands alone."""
        return self._trace.tracer(self._value, self._eqn)


class WritingTrace(ClosingTrace):
    """Writes a function of numbers without a dtype of their own, among others, down."""

    __slots__ = ()

    def input(self, kind: ShapeDtypeStruct) -> Any:
        eqn = equation(self.next_number(), None, (), {}, (), kind.shape, kind.dtype)
        return (self.weak_tracer if getattr(kind, "weak", False) else self.tracer)(kind, eqn)

    def weak_tracer(self, kind: ShapeDtypeStruct, eqn: Any) -> Any:
        t = WeakTracer()
        t._trace, t._value, t._eqn = self, kind, eqn
        return t


def closed(
    functions: Sequence[Callable], args: Sequence[Any], name: str, decides: bool = False
) -> tuple[list[TapeBody], list[Any], list[Any]]:
    """The bodies of functions of the same flat arguments, with common constants.

    Arguments:
        functions: of flat arguments, each giving a pytree.
        args: Arrays and tracers like the arguments, or their ShapeDtypeStructs.
        name: of the operation, for messages.
        decides: as for `close`.

    Returns:
        `(bodies, constants, out_trees)`: each body takes all constants before its arguments.
    """
    found = [_closed(f, args, name, decides) for f in functions]
    constants = list({id(c): c for _, cs, _ in found for c in cs}.values())
    bodies = []
    for body, own, _ in found:
        tape, inputs = body.tape, dict(zip(map(id, own), body.tape.inputs, strict=False))
        leading = [inputs.get(id(c)) or equation(0, None, (), {}, (), c.shape, c.dtype) for c in constants]
        everything = [*leading, *tape.inputs[len(own) :]]
        bodies.append(TapeBody(Tape(everything, tape.outputs, None, None, symbolic=True, effects=tape.effects)))
    return bodies, constants, [out_tree for _, _, out_tree in found]


def _closed(f: Callable, args: Sequence[Any], name: str, decides: bool) -> tuple[TapeBody, list[Any], Any]:
    trace = WritingTrace(name)

    def staged(*xs: Any) -> PyTree:
        with staging(trace):
            return f(*xs)

    return close(staged, args, name, decides, trace)


def on_shapes(f: Callable, kinds: Sequence[ShapeDtypeStruct], name: str) -> Any:
    """What f gives for flat arguments of which only the types are known."""
    trace = WritingTrace(name)
    trace.values = {}
    with trace, staging(trace):
        return f(*[trace.input(kind) for kind in kinds])
