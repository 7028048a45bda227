"""Running a function and writing down everything: its program, values, gradients, what is kept, and where it is cut.

The function runs on values, so it may decide by them. Two traces look on: that of `vjp`, whose equations say what is
kept and how gradients come back, and inside of it a `Recorder`, which writes down all operations, those without
derivative too, with the lines of the program.

debug/explain/record.py follows values through a function as well, and the two are not one: it takes the derivatives
itself, step by step, and runs what is inside of compiled functions, so as to find the line in which one is lost. A
picture shows what `vjp` really keeps, and a compiled function as the one call that it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import numpy as np

from funcgrad.callers import is_user, user_frame
from funcgrad.core import tree
from funcgrad.core.array import Array, raw, wrap
from funcgrad.core.cotangent import Deferred
from funcgrad.core.rules import Statement
from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.core.trace import Trace, Tracer, bind, constant
from funcgrad.draw.sources import names_by_line
from funcgrad.draw.tapes import Known, kept_by
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.named_call import NamedCall
from funcgrad.transforms.named_scope import named_scope, scopes
from funcgrad.transforms.results import Projection
from funcgrad.transforms.vjp import Pullback, VjpTracer, record
from funcgrad.transforms.walk import walk


class RecordedTracer(Tracer):
    """A value one level down, and the equation that was written down for it."""

    __slots__ = ("_eqn",)
    _eqn: Equation


class Written:
    """What a Recorder has seen: for each equation the result, and the functions that were running."""

    def __init__(self) -> None:
        self.made: dict[Equation, Any] = {}
        self.groups: dict[Equation, tuple[tuple[str, ...], tuple[int, ...]]] = {}
        self.calls: dict[FrameType, int] = {}  # a number for each call of a function


class Recorder(Trace):
    """Runs primitives one level down and writes down each, with its result, its line and the functions around it."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("draw")
        self.values = Written()

    def tracer(self, value: Any, eqn: Equation) -> RecordedTracer:
        t = RecordedTracer()
        t._trace, t._value, t._eqn = self, value, eqn
        self.values.made[eqn] = value
        return t

    def input(self, value: Any) -> RecordedTracer:
        """A tracer for an argument."""
        return self.tracer(value, equation(self.next_number(), None, (), {}, (), value.shape, value.dtype))

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        mask = [self.own(a) for a in args]
        operands = [a._value if m else constant(a) for a, m in zip(args, mask, strict=True)]
        out = bind(primitive, tuple(operands), params)
        inputs = tuple([a._eqn if m else x for a, x, m in zip(args, operands, mask, strict=True)])
        return (
            tuple(self._written(primitive, inputs, params, out))
            if primitive.multiple
            else self._written(primitive, inputs, params, (out,), single=True)[0]
        )

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        if type(call) is NamedCall:
            with named_scope(call.name):
                return call.evaluate(*args)
        mask = [self.own(a) for a in args]
        operands = [wrap(a._value) if m else a for a, m in zip(args, mask, strict=True)]
        outs = [raw(o) for o in self.below(call, call(*operands))]
        inputs = tuple([a._eqn if m else raw(a) for a, m in zip(args, mask, strict=True)])
        return self._written(call, inputs, {}, outs)

    def _written(
        self, primitive: Any, inputs: tuple, params: dict, outs: Sequence[Any], single: bool = False
    ) -> list[Any]:
        """Tracers for the results of an operation that is written down here."""
        frame = user_frame()
        line = None if frame is None else (frame.f_code.co_filename, frame.f_lineno)
        plan = Symbol(primitive, len(inputs), line, scopes.get())
        shapes, dtypes = tuple([np.shape(o) for o in outs]), tuple([o.dtype for o in outs])
        if single:
            e = equation(self.next_number(), plan, inputs, params, (), shapes[0], dtypes[0])
            self.values.groups[e] = self._groups(frame, plan.scope)
            return [self.tracer(outs[0], e)]
        parent = equation(self.next_number(), plan, inputs, params, (), shapes, dtypes)
        self.values.groups[parent] = self._groups(frame, plan.scope)
        parts = []
        for k, o in enumerate(outs):
            e = equation(self.next_number(), Projection(parent, k), (parent,), {"index": k}, (), shapes[k], dtypes[k])
            parts.append(self.tracer(o, e))
        return parts

    def _groups(self, frame: FrameType | None, scope: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The functions of the user that are running, the outermost first, and the scopes; and a number for each."""
        found, calls = [], self.values.calls
        while frame is not None and frame.f_code is not recorded.__code__:
            if is_user(frame) and frame.f_code.co_name[0] != "<":
                found.append((frame.f_code.co_name, calls.setdefault(frame, len(calls) + 1)))
            frame = frame.f_back
        groups = [*reversed(found), *[(name, 0) for name in scope]]
        return tuple([name for name, _ in groups]), tuple([number for _, number in groups])


def recorded(f: Callable, args: tuple, kwargs: dict[str, Any]) -> tuple[Tape, Known]:
    """The program that f carries out on these arguments, and all that is known about it.

    Raises:
        ArgumentError: an argument or the result has a leaf that is no array.
    """
    values, in_tree = input_values(args, "draw")
    found: list[Any] = []

    def inside(*xs: Any) -> list[Any]:
        leaves = tree.leaves(xs)
        with Recorder() as trace:
            tracers = [trace.input(raw(x)) for x in leaves]
            outs, out_tree = output_values(f(*in_tree.unflatten(tracers), **kwargs), "draw")
            outputs = [o._eqn if trace.own(o) else raw(o) for o in outs]
            found.extend((tracers, outputs, out_tree, trace.values))
        return [wrap(o._value) if isinstance(o, RecordedTracer) else o for o in outs]

    _, pullback, _ = record(inside, values, tree.structure(tuple(values)), False, "draw")
    tracers, outputs, out_tree, written = found
    tape = Tape([t._eqn for t in tracers], outputs, in_tree, out_tree, symbolic=True)
    return tape, _known(tape, written, pullback, _argument_names(f, args))


def _known(tape: Tape, written: Written, pullback: Pullback, inputs: list[str]) -> Known:
    made = written.made
    derived = {e: v._eqn for e, v in made.items() if type(v) is VjpTracer}
    known = Known(
        _names(tape, inputs), {e: x for e, v in made.items() if (x := _plain(v)) is not None}, groups=written.groups
    )
    behind = {**derived, **{e.operation: derived[e].operation for e in derived if e.picks is not None}}
    reached = set(pullback.equations)
    known.constants = {e for e in tape.equations if e not in behind}
    known.passes = {e for e in behind if behind[e] in reached}
    known.keeps = {e: kept_by(d) for e, d in behind.items() if d in reached and _is_that_of(d, e)}
    grads = _gradients(pullback)
    known.grads = {e: grads[d] for e, d in derived.items() if d in grads and e.picks is None}
    known.cuts = _cuts(tape, derived, behind)
    return known


def _is_that_of(derived: Equation, e: Equation) -> bool:
    return derived.plan is not None and e.plan is not None and derived.primitive is e.primitive


def _plain(x: Any) -> Any:
    """The value behind tracers, if it is known."""
    while isinstance(x, Tracer):
        x = x._value
    x = x._value if isinstance(x, Array) else x
    return x if isinstance(x, np.ndarray | np.generic) else None


def _gradients(pullback: Pullback) -> dict[Equation, Any]:
    """The gradient of the result, if that is one number, by all equations."""
    ends = [(e, kind) for e, kind in pullback.outputs if e is not None]
    if len(pullback.outputs) != 1 or not ends or ends[0][1].shape or ends[0][1].dtype.kind != "f":
        return {}
    cotangents: dict[Equation, Any] = {ends[0][0]: np.ones((), ends[0][1].dtype)}
    found = {}
    for e in pullback.equations:
        g = cotangents.get(e)
        if isinstance(g, Deferred):
            g = g.dense()
        if isinstance(g, np.ndarray | np.generic):
            found[e] = g
        walk([e], cotangents)
    return found


def _cuts(tape: Tape, derived: dict, behind: dict) -> dict[tuple[Equation, Equation], str]:
    """Why no gradient comes back along an edge, for those along which a gradient might."""
    found = {}
    for e in tape.equations:
        if e.picks is not None:
            continue
        after = behind.get(e)
        for k, i in enumerate(e.inputs):
            if type(i) is not Equation or i not in derived:
                continue
            if after is None or not any(j is derived[i] for j in after.inputs):
                found[i, e] = _reason(e, k)
    return found


def _reason(e: Equation, k: int) -> str:
    rules = getattr(e.primitive, "vjp", None)
    rule = rules[k] if isinstance(rules, tuple) else rules
    if e.primitive.name == "stop":
        return "stop_gradient"
    if isinstance(rule, Statement):
        return rule.reason
    return "no derivative"


def _names(tape: Tape, inputs: list[str]) -> dict[Equation, str]:
    """What the program calls arguments and results."""
    found = dict(zip(tape.inputs, inputs, strict=True))
    lines = [(e, None if e.plan is None else e.plan.line) for e in tape.equations if e.picks is None]
    return found | names_by_line(lines)


def _argument_names(f: Callable, args: tuple) -> list[str]:
    """A name for each leaf of the arguments, as `params['w']`."""
    try:
        parameters = list(inspect.signature(f).bind_partial(*args).arguments)
    except (TypeError, ValueError):
        parameters = []
    found = []
    for path, _ in tree.leaves_with_path(args):
        k = path[0].idx
        name = parameters[k] if k < len(parameters) else f"argument {k}"
        found.append(name + tree.keystr(path[1:]))
    return found
