"""Closing a function: its program as a tape, with the tracers that it closed over as further inputs.

The function is run once, on tracers that write down what it does, as make_tape does. But it will run on values that are
known in most cases, and a program may look at them: `if x > 0`. So where it asks for a number, what leads to the number
is computed, and the tape is that of the path which the program took.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.tape import Equation, Tape, equation, reachable
from funcgrad.core.trace import Tracer, constant, running
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.core.weak import is_weak, strong, weak
from funcgrad.errors import lost_trace, type_text
from funcgrad.ops import structural
from funcgrad.transforms.arguments import called, input_values, output_values
from funcgrad.transforms.bodies import TapeBody, calls_host
from funcgrad.transforms.make_tape import Kind, SymbolicTrace, SymbolicTracer, WeakSymbolicTracer


class ClosingTracer(SymbolicTracer):
    """A value on the way to a tape. Decisions may look at it if the arguments of the function are known."""

    __slots__ = ()
    _trace: ClosingTrace

    def describe(self) -> str:
        return f"a value of type {type_text(self)} inside {self._trace.transform}"

    def _leave(self, action: str) -> Any:
        value = self._concrete(action)
        if is_inexact(self.dtype) and self._eqn.primitive is not structural.stop:
            raise lost_trace(action, self)
        return value

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        value = self._trace.value_of(self._eqn)
        return super()._concrete(action) if value is None else value


class WeakTracer(ClosingTracer, WeakSymbolicTracer):
    """A number without a dtype of its own, on the way to a tape."""

    __slots__ = ()


class ClosingTrace(SymbolicTrace):
    """Writes a function down like make_tape. Where a decision asks for a number, what leads to it is computed."""

    __slots__ = ()
    tracers = (ClosingTracer, WeakTracer)
    values: dict[Equation, Any]  # raw values that have been computed; of an input what was given for it

    def value_of(self, e: Equation) -> Any:
        """The raw value of an equation, or None if it cannot be known."""
        values, pending = self.values, [e]
        while pending:
            top = pending[-1]
            if top in values:
                pending.pop()
                continue
            if top.plan is None or calls_host(top.primitive):  # what the host does waits until the program runs
                return None
            missing = [i for i in top.inputs if type(i) is Equation and i not in values]
            if missing:
                pending += missing
                continue
            args = [value_behind(values[i] if type(i) is Equation else i) for i in top.inputs]
            if any(a is None for a in args):
                return None
            found = top.primitive(*args, **top.params)
            values[top] = [raw(o) for o in found] if isinstance(found, (list, tuple)) else raw(found)
            pending.pop()
        return value_behind(values[e])


def weakened(x: Any) -> Any:
    """A result that was a number without a dtype of its own inside a closed function, as such a number outside."""
    if isinstance(x, ClosingTracer):
        return x._trace.weak_tracer(x._value, x._eqn)
    return weak(x._value.item()) if type(x) is Array and x.shape == () and x.dtype.kind in "ifc" else x


def value_behind(x: Any) -> Any:
    """As `known`, but what is on the way to a tape is computed, if it can be."""
    while isinstance(x, Tracer):
        x = x._trace.value_of(x._eqn) if isinstance(x, ClosingTracer) else x._known()
    return raw(x)


def close(
    f: Callable, args: Sequence[Any], name: str, decides: bool = True, trace: ClosingTrace | None = None
) -> tuple[TapeBody, list[Any], Any]:
    """The body that a function is, for arguments like these.

    Arguments:
        f: a function of flat arguments that returns a pytree.
        args: Arrays and tracers, or their ShapeDtypeStructs.
        name: of the transform, for messages.
        decides: whether f may look at the values of these arguments, which is right if the body will be run on none
            but these.
        trace: writes the program down, if it shall be another one than ClosingTrace.

    Returns:
        `(body, constants, out_tree)`: a body that takes the constants before the arguments, the tracers that f closed
        over, and the structure of what f returns.

    Raises:
        NoValueError: f asks for a number that is not known.
    """
    trace = ClosingTrace(name) if trace is None else trace
    trace.values = {}
    with trace:
        kinds = [a if isinstance(a, ShapeDtypeStruct) else Kind(a.shape, a.dtype, is_weak(a)) for a in args]
        tracers = [trace.input(kind) for kind in kinds]
        if decides:
            trace.values = {t._eqn: a for t, a in zip(tracers, args, strict=True)}
        outs, out_tree = output_values(f(*tracers), name)
        results = [o._eqn if trace.own(o) else constant(o) for o in outs]
        trace.values = {}
    hoisted: dict[int, tuple[Any, Equation]] = {}

    def lifted(x: Any) -> Any:
        """A tracer that f closed over, as an input of the tape."""
        if not isinstance(x, Tracer):
            return x
        if id(x) not in hoisted:
            hoisted[id(x)] = x, equation(0, None, (), {}, (), x.shape, x.dtype)
        return hoisted[id(x)][1]

    for e in reachable([*[o for o in results if type(o) is Equation], *trace.effects]):
        e.inputs = tuple([lifted(i) for i in e.inputs])
    results = [lifted(o) for o in results]
    inputs = [*[e for _, e in hoisted.values()], *[t._eqn for t in tracers]]
    body = TapeBody(Tape(inputs, results, None, out_tree, symbolic=True, effects=trace.effects))
    return body, [x for x, _ in hoisted.values()], out_tree


def call_closed(
    make: Callable[[TapeBody, str], Callable],
    fun: Callable,
    args: tuple,
    kwargs: dict,
    name: str,
    static: Collection[int] = (),
) -> Any:
    """The result of a function of pytrees that passes through transforms as a call; where none runs it is just called.

    Arguments:
        make: the call, from the body and a name.
        fun, args, kwargs: the function, and its arguments.
        name: of the transform.
        static: positions of arguments that are no arrays.
    """
    places = [i for i in range(len(args)) if i not in static]
    given, names = (*[args[i] for i in places], *kwargs.values()), (*places, *kwargs)
    values, in_tree = input_values(given, name, names, keep_weak=True)
    if not running():
        return called(fun, args, kwargs)
    leaves = [wrap(v) for v in values]
    marks: list[bool] = []

    def flat(*xs: Any) -> Any:
        rest = in_tree.unflatten(xs)
        full = list(args)
        for i, x in zip(places, rest, strict=False):
            full[i] = x
        out = fun(*full, **dict(zip(kwargs, rest[len(places) :], strict=True)))
        marks[:] = [is_weak(x) for x in tree.leaves(out)]
        return out

    body, constants, out_tree = close(flat, leaves, name)
    call = make(body, f"{name}[{getattr(fun, '__name__', 'function')}]")
    outs = call(*constants, *[strong(x) for x in leaves])
    return out_tree.unflatten([weakened(o) if w else o for o, w in zip(outs, marks, strict=True)])


def taped(call: Any, args: tuple) -> tuple[Any, tuple]:
    """The same call of the tape that its body is, and its operands."""
    if isinstance(call.body, TapeBody):
        return call, args
    body, constants, _ = close(call.body, args, call.name)
    return call.derived(body), (*constants, *args)
