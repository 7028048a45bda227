"""Traces, levels, and how a primitive finds who handles it.

A transform such as vjp calls the user's function on *tracers* instead of arrays. A tracer stands for a value one level
down and belongs to a *trace*, which says what a primitive does to it: vjp's trace records an equation, jvp's pushes a
tangent along, make_tape's writes down the operation without computing it.

Transforms nest, so traces have levels: the outermost running transform has level 1, one that runs inside it level 2.
`bind` looks at the arguments of a primitive and gives it to the trace of the highest level among them. That trace takes
its own tracers apart, and the values inside are lower: ndarrays, or tracers of transforms further out. It calls the
same primitive on those, and so the call goes down one level at a time until no tracer is left and NumPy computes.

That is the whole of nesting. A tracer of an outer transform that a closure carries into an inner one is, to the inner
trace, a constant: it is not the inner trace's own, so nothing is differentiated with respect to it by mistake. And an
argument without tracers never meets a trace at all.

A new trace finds the one that it runs in by a context variable, so threads and asynchronous tasks count for themselves.
"""

from __future__ import annotations

import functools
from contextvars import ContextVar
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np
from numpy import float64, ndarray

from funcgrad.callers import user_line
from funcgrad.core.array import NATIVE, Array, new, snapshot, wrap
from funcgrad.core.scope import Scope
from funcgrad.core.short_rows import broadcast
from funcgrad.core.uncover import uncover
from funcgrad.errors import ArgumentError, LeakedTracerError, lost_trace, type_text

NUMPYS = frozenset({ndarray, float64})
"""Operands of which one is enough for the `infix` of a primitive."""

current: ContextVar[Trace | None] = ContextVar("funcgrad_trace", default=None)
"""The trace of the innermost running transform. Only traces set it, and the three transforms that do without a `with`
block for the time that it takes."""

observer: ContextVar[Any] = ContextVar("funcgrad_observer", default=None)
"""Who looks on at operations (funcgrad.debug.nans), or None. Asked when a trace starts, never at an operation: the
observer's `adopt(trace)` gives the trace a class that reports to it."""


def running() -> bool:
    """Whether a transform is running: otherwise there are no tracers that a function may close over."""
    return current.get() is not None


def innermost() -> Trace | None:
    """The trace of the innermost running transform; its `outer` is the next one out."""
    return current.get()


def _leave(trace: Trace, kind: Any = None, error: Any = None, traceback: Any = None) -> None:
    """`Trace.__exit__`, which may be interrupted and called again until the trace is dead."""
    current.set(trace.outer)
    trace.__class__ = DeadTrace
    if isinstance(error, Exception):
        uncover(error, traceback)


class Leaving(functools.partial):
    """What the `with` block of a trace holds, as that of any scope does (core/scope.py); made without a Python call."""

    __slots__ = ()

    def __del__(self) -> None:
        trace = self.args[0]
        if type(trace) is not DeadTrace and hasattr(trace, "outer"):  # it was entered, and not left
            _leave(trace)


def zeros(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    """Zeros that nobody writes to. While somebody asks for shapes only, or records a program, they take no memory."""
    trace = current.get()
    while trace is not None:
        if trace.symbolic:
            return np.broadcast_to(np.zeros((), dtype), shape)
        trace = trace.outer
    return np.zeros(shape, dtype)


def abstract() -> Any:
    """The innermost running trace that asks for nothing but shapes, or None."""
    trace = current.get()
    while trace is not None and not trace.abstract:
        trace = trace.outer
    return trace


def uniform(number: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """An array that holds one number, from which a transform starts; no array where only shapes are asked for."""
    if current.get() is None and not shape:
        return dtype.type(number)
    trace, value = abstract(), np.asarray(number, dtype)
    if trace is not None:
        return trace.uniform(value, shape)
    return np.full(shape, value) if shape else value[()]


class Trace:
    """What a transform does with primitives while it runs.

    Use it in a `with` block, or, where every microsecond counts, as `vjp` does. On leaving, the trace turns into a
    `DeadTrace`, so that a tracer which outlives its transform raises wherever it is used, and the hot path need not
    ask. An interrupt can't keep it from that: see core/scope.py.
    """

    # All traces have the same slots, so that each may turn into a DeadTrace: axis_name and size are those of a batch,
    # effects, values, kinds and plans belong to traces that write a tape, loans to that of a gradient.
    __slots__ = (
        "axis_name",
        "effects",
        "kinds",
        "level",
        "loans",
        "next_number",
        "outer",
        "plans",
        "size",
        "transform",
        "values",
    )
    differentiates = False  # whether its tracers carry derivatives
    symbolic = False  # whether its tracers are known by shape and dtype only
    abstract = False  # whether nothing that its tracers stand for is ever computed
    level: float  # of transforms 1, 2, ...; below them 0 of Arrays, 0.25 of Weak numbers, 0.5 of torch's graph
    outer: Trace | None

    def __init__(self, transform: str) -> None:
        self.transform = transform  # its name, for messages
        self.next_number = count().__next__  # numbers equations; next() on a count is atomic

    def __enter__(self) -> Any:
        outer = self.outer = current.get()
        self.level = 1 if outer is None else outer.level + 1
        current.set(self)
        looking = observer.get()
        if looking is not None:
            looking.adopt(self)
        return self

    __exit__ = property(functools.partial(Leaving, _leave))

    def again(self) -> Again:
        """A scope in which this trace, which is running, is the innermost one, and its level is the highest."""
        return Again(self)

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        """Handle `primitive(*args, **params)`, some of args being tracers of this trace."""
        raise TypeError(f"{type(self).__name__} must define process")

    def unary(self, primitive: Any, x: Array) -> Any:
        """`process` for one operand and no parameters; a trace on the hot path overrides it."""
        return self.process(primitive, (x,), {})

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        """`process` for two operands and no parameters; a trace on the hot path overrides it."""
        return self.process(primitive, (x, y), {})

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        """Handle `call(*args)`, an operation that holds functions (see transforms/call.py), some args being tracers.

        A trace that does not know how to keep the call whole lets it run on its tracers.
        """
        return call.evaluate(*args)

    def own(self, x: Any) -> bool:
        """Whether x is a tracer of this trace. A tracer that should not be here raises."""
        if not isinstance(x, Array):
            return False
        trace = x._trace
        if trace is self:
            return True
        if trace.level >= self.level or type(trace) is DeadTrace:
            raise leaked(x)
        return False

    def below(self, call: Any, outs: list[Any]) -> list[Any]:
        """The results of a call, which must come from below this trace.

        Raises:
            ArgumentError: the function that the call holds closed over a tracer of this level or above.
        """
        for o in outs:
            if isinstance(o, Tracer) and o._trace.level >= self.level:
                raise ArgumentError(
                    f"{call.name}: the function closes over {o.describe()}, so its result depends on a value that is "
                    f"none of its arguments. Pass that value as an argument"
                )
        return outs


class Again(Scope):
    """What `Trace.again` gives."""

    __slots__ = ("entered", "inner", "level", "trace")

    def __init__(self, trace: Trace) -> None:
        self.trace, self.entered = trace, 0

    def __enter__(self) -> Trace:
        trace = self.trace
        self.inner, self.level = current.get(), trace.level
        self.entered = 1
        trace.level = self.inner.level + 1  # type: ignore[union-attr]  # for it is running
        current.set(trace)
        return trace

    def leave(self, *error: Any) -> None:
        self.trace.level = self.level
        current.set(self.inner)
        self.entered = 0


class DeadTrace(Trace):
    """What a trace is once its transform has returned."""

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        raise leaked(next(a for a in args if isinstance(a, Array) and a._trace is self))

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return self.process(call, args, {})


class EvalTrace(Trace):
    """The trace of Arrays that no transform is looking at: NumPy computes, an Array goes around the result."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("evaluation")
        self.level = 0

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        out = primitive.impl(*[a._value if isinstance(a, Array) else constant(a) for a in args], **params)
        return tuple([wrap(o) for o in out]) if primitive.multiple else wrap(out)

    def unary(self, primitive: Any, x: Array) -> Array:
        if primitive.multiple:
            return self.process(primitive, (x,), {})
        out = new(Array)
        out._value = primitive.impl(x._value)
        return out

    def binary(self, primitive: Any, x: Any, y: Any) -> Array:
        if primitive.multiple:
            return self.process(primitive, (x, y), {})
        if isinstance(x, Array):
            x = x._value
        elif type(x) is not float and type(x) is not int:
            x = constant(x)
        if isinstance(y, Array):
            y = y._value
        elif type(y) is not float and type(y) is not int:
            y = constant(y)
        out = new(Array)
        if primitive.preserves and type(x) is ndarray is type(y) and x.shape != y.shape:
            out._value = broadcast(primitive, x, y)
        else:
            out._value = (primitive.infix if type(x) in NUMPYS or type(y) in NUMPYS else primitive.impl)(x, y)
        return out


Array._trace = EvalTrace()


def bind(primitive: Any, args: tuple, params: dict) -> Any:
    """Apply a primitive: give it to the trace of the highest level among its arguments.

    With raw arguments only (ndarrays, numbers) the result is raw too: rules work on ndarrays at NumPy's own speed.
    With an Array among them the result is an Array, with a tracer a tracer.
    """
    top = None
    for a in args:
        if isinstance(a, Array):
            trace = a._trace
            if top is None or trace.level > top.level:
                top = trace
    if top is None:
        return primitive.impl(*args, **params)
    return top.process(primitive, args, params)


def bind_call(call: Any, args: tuple) -> list[Any]:
    """Apply an operation that holds functions: `bind` for those, on Arrays and tracers only."""
    operands = tuple([wrap(a) for a in args])
    top = max([a._trace for a in operands], key=_level_of, default=Array._trace)
    return top.process_call(call, operands)


_level_of = attrgetter("level")


def known(x: Any) -> Any:
    """The raw value behind any number of tracers, or None if there is none: in a batch, or while only shapes are known.

    For decisions, which carry no derivative: which branch to take, whether to go on.
    """
    while isinstance(x, Tracer):
        x = x._known()
    return x._value if isinstance(x, Array) else x


class Tracer(Array):
    """A value seen by a transform. It is an Array in every respect, but leaving the trace is an error."""

    __slots__ = ("_trace",)
    _trace: Trace
    return_it = (
        "Return what you need from the function that is being differentiated, with has_aux=True for values beside the "
        "result, or store stop_gradient(x)"
    )
    """What to do instead of storing it."""
    plain = False  # whether it may become plain numbers anywhere, for no derivative would be lost
    __init__ = object.__init__  # made by traces, which fill in the slots; calling the class is the fastest way

    def describe(self) -> str:
        return f"a value of type {type_text(self)} that {self._trace.transform} is differentiating"

    def _leave(self, action: str) -> Any:
        self._check_alive()
        raise lost_trace(action, self)

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        value = self._value
        return value._concrete(action) if isinstance(value, Array) else value

    def _known(self) -> Any:
        """The value one level down, as far as it is the value that this one stands for; otherwise None."""
        return self._value

    def _check_alive(self) -> None:
        if type(self._trace) is DeadTrace:
            raise leaked(self)

    def leak(self) -> str:
        """What happened if this value is used where its transform does not run, and what to do instead."""
        return (
            f"a value of type {type_text(self)} that {self._trace.transform} made is used outside the call that made "
            f"it{user_line()}. It was stored (in a global, an attribute, a list of an outer scope, or handed to "
            f"another thread) and has no meaning there. {self.return_it}."
        )

    def __repr__(self) -> str:
        value = self._value
        if not isinstance(value, Array):
            value = wrap(value)
        return f"Tracer<{self._trace.transform}, level {self._trace.level}>({value!r})"


def leaked(tracer: Any) -> LeakedTracerError:
    """The error for a tracer that is used where its transform does not run."""
    return LeakedTracerError(f"Encountered an unexpected tracer: {tracer.leak()}")


def constant(x: Any) -> Any:
    """An operand that a trace does not follow, as it goes one level down: Arrays give their raw value."""
    kind = type(x)
    if kind is Array:
        return x._value
    if kind is list or kind is tuple:
        return np.array(x)
    if isinstance(x, np.ndarray) and (kind is not np.ndarray or x.dtype not in NATIVE):
        return snapshot(x)
    if isinstance(x, Array) and not isinstance(x, Tracer):
        return x._value  # the number of a Weak
    return x
