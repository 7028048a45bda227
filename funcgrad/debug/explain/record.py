"""Following values through a function: every operation on what depends on its inputs, with values, line and time.

`vjp` records what a derivative flows through, and forgets the rest. To say why no derivative arrives one has to see the
rest as well: the comparison, the cast to integers, the cut. So a function is run here on tracers that are *linked*, as
those of vjp are, and what has no derivative gives tracers that are *cut*: they go on telling what depends on what, and
are plain values in all else, so a program may look at their numbers.

draw/recording.py writes down a function as well, for its picture: beside vjp, whose equations it shows, and with calls
in one piece. Here each rule is asked again with random cotangents, and what counts too is where a value became a plain
number, decided something, or gave nothing but its shape.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from time import perf_counter
from types import FrameType
from typing import Any

import numpy as np

from funcgrad.callers import user_call, user_frame
from funcgrad.core import array
from funcgrad.core.array import Array, copied, is_inexact, raw, wrap
from funcgrad.core.cotangent import Deferred, fit
from funcgrad.core.plan import Plan
from funcgrad.core.scope import scoped
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import Trace, Tracer, bind, constant, innermost, observer, zeros
from funcgrad.debug.explain.places import Place
from funcgrad.transforms.call import Call
from funcgrad.transforms.results import CallPlan, pullback_leaves
from funcgrad.transforms.walk import walk

_OF_ARRAYS = frozenset((__file__, array.__file__))
"""The files in which the attributes of arrays are found."""

_OF_SHAPES = frozenset(
    ("zeros_like", "ones_like", "full_like", "empty_like", "zeros_like_array", "imag", "shape", "size", "ndim")
)
"""Functions that ask for the shape of an array and for nothing else."""


class Value:
    """A value that depends on the inputs.

    Attributes:
        number: in the order of making.
        shape, dtype: of the value.
        step: what made it; None for an input.
        linked: whether derivatives flow through it to an input.
        uses: the steps that it is an operand of, and the number of the operand.
        touched: where the program first asked for its shape and nothing else.
        left: where it first became a plain number, or decided something, and by which action.
    """

    __slots__ = ("dtype", "left", "linked", "number", "shape", "step", "touched", "uses")

    def __init__(self, number: int, shape: tuple[int, ...], dtype: Any, step: Step | None, linked: bool) -> None:
        self.number, self.shape, self.dtype, self.step, self.linked = number, shape, dtype, step, linked
        self.uses: list[tuple[Step, int]] = []
        self.touched: Place | None = None
        self.left: tuple[Place, str] | None = None


class Step:
    """One operation on values that depend on the inputs.

    Arguments:
        operation: a primitive, or a call that has a rule of its own.
        operands: for each operand the Value that it is, or None if it depends on no input.
        values: the numbers of the operands.
        params: the parameters of the primitive.
        out: the numbers of the results.
        plan, residuals: how derivatives go through; None if none does.
        place: where it was called.
        seconds: what computing it took.

    Attributes:
        results: the Values of the results.
        back: seconds that the backward rule took.
        within: the derivative that the function takes itself, inside of which the step was computed; None if none.
    """

    __slots__ = (
        "back", "operands", "operation", "out", "params", "place", "plan", "residuals", "results", "seconds", "values",
        "within",
    )  # fmt: skip  # in rows
    results: tuple[Value, ...]

    def __init__(
        self,
        operation: Any,
        operands: Sequence[Value | None],
        values: Sequence[Any],
        params: dict[str, Any],
        out: Sequence[Any],
        plan: Plan | None,
        residuals: tuple,
        place: Place | None,
        seconds: float,
    ) -> None:
        self.operation, self.operands, self.values, self.params = operation, tuple(operands), tuple(values), params
        self.out, self.plan, self.residuals, self.place = tuple(out), plan, residuals, place
        self.seconds, self.back, self.within = seconds, 0.0, _within()

    def operand(self, k: int) -> Value:
        """An operand that depends on an input."""
        x = self.operands[k]
        assert x is not None
        return x

    @property
    def linked(self) -> tuple[int, ...]:
        """The numbers of the operands that derivatives go to."""
        return () if self.plan is None else self.plan.linked

    def pull(self, cotangents: Sequence[Any], exact: bool = False) -> dict[int, Any]:
        """The cotangents of the linked operands, from those of the results (None for one that nothing depends on).

        With `exact` the real part of a complex number that is nothing but its rounding error is zero.
        """
        plan = self.plan
        if plan is None:
            return {}
        if getattr(self.operation, "multiple", False):
            kinds = zip(cotangents, self.out, strict=True)
            g: Any = tuple([zeros(o.shape, o.dtype) if g is None and not plan.partial else g for g, o in kinds])
        else:
            g = cotangents[0]
        found = plan.pull(g, self.residuals)
        pulled = {}
        for k, ct in zip(plan.linked, (found,) if plan.single else found, strict=True):
            ct = ct.dense() if isinstance(ct, Deferred) else ct
            if exact and ct.dtype.kind == "c":
                ct = np.where(abs(ct.real) <= 4 * np.finfo(ct.dtype).eps * abs(ct), 1j * ct.imag, ct)
            x = self.operand(k)
            pulled[k] = np.asarray(fit(ct, x.shape, x.dtype))
        return pulled


class Recording:
    """What was seen of a function.

    Attributes:
        steps: the operations, in their order.
        inputs: the Values that were followed.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.inputs: list[Value] = []
        self._count = 0
        self._line: tuple[str, int] | None = None

    def place(self) -> Place | None:
        """The line of the user's code that is being run: where a recorded program is, that which was recorded."""
        frame, call = user_call()
        if self._line is not None:
            return Place(*self._line)
        return None if frame is None else Place(frame.f_code.co_filename, frame.f_lineno, call)

    def asks_for_shape(self) -> Place | None:
        """The line that asks for the shape of a value and nothing else; None if an operation of ours asks."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_code.co_filename in _OF_ARRAYS:
            frame = frame.f_back
        place = self.place()
        return place if place is not None and (frame is user_frame() or place.call in _OF_SHAPES) else None

    def value(self, shape: tuple[int, ...], dtype: Any, step: Step | None, linked: bool) -> Value:
        self._count += 1
        return Value(self._count, shape, dtype, step, linked)

    def add(self, step: Step) -> None:
        linked = step.plan is not None
        self.steps.append(step)
        step.results = tuple([self.value(o.shape, o.dtype, step, linked and is_inexact(o.dtype)) for o in step.out])
        for k, x in enumerate(step.operands):
            if x is not None:
                x.uses.append((step, k))

    # As the observer of funcgrad.core.trace: compiled functions run uncompiled, and recorded ones tell their lines.

    def adopt(self, trace: Trace) -> None:
        """Traces of transforms within the function need no other class: they hand their operations down to ours."""

    def run(self, tape: Tape, values: Sequence[Any], apply: Callable | None = None) -> list[Any]:
        """Run a tape as `Tape.run` does; an operation is in the line where it was recorded."""
        env: dict[Equation, Any] = {e: wrap(v) for e, v in zip(tape.inputs, values, strict=True)}
        outside = self._line
        try:
            for e in tape.equations:
                args = [env[i] if type(i) is Equation else i for i in e.inputs]
                self._line = (None if e.plan is None else e.plan.line) or outside
                env[e] = e.primitive(*args, **e.params) if apply is None else apply(e, args)
        finally:
            self._line = outside
        return [env[o] if type(o) is Equation else wrap(o) for o in tape.outputs]

    walk = staticmethod(walk)


class Followed(Tracer):
    """A value that depends on the inputs, its numbers, and what is known about it."""

    __slots__ = ("_node",)
    _node: Value
    _trace: Any

    @property
    def shape(self) -> tuple[int, ...]:
        self._touch()
        return self._value.shape

    @property
    def ndim(self) -> int:
        self._touch()
        return self._value.ndim

    @property
    def size(self) -> int:
        self._touch()
        return self._value.size

    def _touch(self) -> None:
        node = self._node
        if node.touched is None and not node.uses:
            node.touched = self._trace.values.asks_for_shape()

    def _left(self, action: str) -> None:
        node = self._node
        place = self._trace.values.place() if node.left is None else None
        if place is not None and not action.startswith(("str(", "format(", "printing")):
            node.left = place, action

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        self._left(action)
        return self._value

    def _known(self) -> Any:
        self._left("a decision")
        return self._value


class Linked(Followed):
    """A value that derivatives flow through."""

    __slots__ = ()


class Cut(Followed):
    """A value that depends on the inputs, and that no derivative flows through. A program may do anything with it."""

    __slots__ = ()
    plain = True

    def _leave(self, action: str) -> Any:
        return self._concrete(action)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return Array.__array__(self, dtype, copy)


class CutTrace(Trace):
    """Handles operations on cut values alone. It stands just below the trace of linked ones, which is asked first.

    The recording is in its slot `values`.
    """

    __slots__ = ()
    values: Recording

    @property
    def _others(self) -> tuple[Trace, Trace]:
        """The traces of linked and of cut results."""
        return self, self

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        nodes, values, mask = _taken_apart(args)
        plan = primitive.plans[mask] if any(mask) else None
        begun = perf_counter()
        out = bind(primitive, tuple(values), params)
        residuals = () if plan is None else plan.keep(out, params, *values)
        seconds = perf_counter() - begun
        outs = out if primitive.multiple else (out,)
        results = self._added(
            Step(primitive, nodes, values, params, outs, plan, residuals, self.values.place(), seconds)
        )
        return tuple(results) if primitive.multiple else results[0]

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        if looks_inside(call):
            return call.evaluate(*args)
        nodes, values, mask = _taken_apart(args)
        operands = [wrap(v) for v in values]
        place = self.values.place()
        begun = perf_counter()
        outs, plan, residuals = _called(call, operands, mask) if any(mask) else (call(*operands), None, ())
        seconds = perf_counter() - begun
        return self._added(Step(call, nodes, values, {}, [raw(o) for o in outs], plan, residuals, place, seconds))

    def _added(self, step: Step) -> list[Any]:
        """The results of a step, which becomes part of the recording, as tracers."""
        self.values.add(step)
        linked, cut = self._others
        return [
            tracer(Linked, linked, o, node) if node.linked else tracer(Cut, cut, o, node)
            for o, node in zip(step.out, step.results, strict=True)
        ]


class PastTrace(CutTrace):
    """What the trace of cut values is when the function has returned: its values are numbers, as they would be in vjp.

    The backward rules of the user may have closed over some.
    """

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        out = bind(primitive, tuple(_taken_apart(args)[1]), params)
        return tuple([wrap(o) for o in out]) if primitive.multiple else wrap(out)

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return call(*_taken_apart(args)[1])


class LinkedTrace(CutTrace):
    """Handles operations on values that derivatives flow through. The trace of cut values is in its slot `effects`."""

    __slots__ = ()
    differentiates = True
    effects: CutTrace

    @property
    def _others(self) -> tuple[Trace, Trace]:
        return self, self.effects


def looks_inside(call: Any) -> bool:
    """Whether the derivative of a call is that of its body, so that the body can be followed in its place."""
    return call.opens or getattr(call, "transparent", False) or type(call).vjp is Call.vjp


def _within() -> str | None:
    """The innermost derivative that is being taken inside of the function that is looked at."""
    trace = innermost()
    while trace is not None and not isinstance(trace, LinkedTrace):
        if trace.differentiates:
            return trace.transform
        trace = trace.outer
    return None


def tracer(kind: Any, trace: Trace, value: Any, node: Value) -> Any:
    """A tracer of one of these classes."""
    t = kind()
    t._trace, t._value, t._node = trace, value, node
    return t


def _taken_apart(args: tuple) -> tuple[list[Value | None], list[Any], tuple[bool, ...]]:
    """The Values that operands are, their numbers, and which of them are linked."""
    nodes, values = [], []
    for a in args:
        if isinstance(a, Followed):
            a._check_alive()
            nodes.append(a._node)
            values.append(a._value)
        else:
            nodes.append(None)
            values.append(copied(a) if type(a) is np.ndarray else constant(a))
    return nodes, values, tuple([node is not None and node.linked for node in nodes])


def _called(call: Any, operands: list[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Plan, tuple]:
    """The results of a call that has a rule, and how derivatives go through."""
    outs, pullback = call.vjp(operands, mask)
    residuals, structure = pullback_leaves(pullback)
    kinds = tuple([(x.shape, x.dtype) for x, m in zip(operands, mask, strict=True) if m])
    return outs, CallPlan(call, mask, structure, kinds), residuals


@scoped
def following(recording: Recording) -> Iterator[Callable[[Any], Linked]]:
    """A block in which values are followed; gives what makes a value an input."""
    linked, cut = LinkedTrace("explain"), CutTrace("explain")
    linked.values = cut.values = recording
    linked.effects = cut
    before = observer.get()
    observer.set(recording)
    try:
        with linked:
            cut.level, cut.outer = linked.level - 0.25, None

            def as_input(value: Any) -> Linked:
                node = recording.value(value.shape, value.dtype, None, True)
                recording.inputs.append(node)
                return tracer(Linked, linked, value, node)

            yield as_input
    finally:
        cut.__class__ = PastTrace
        observer.set(before)
