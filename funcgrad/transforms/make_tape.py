"""`make_tape` and `eval_shape`: run a function on values of which only shape and dtype are known.

A Python number among the arguments has no dtype of its own on the tape either: `x * s` of an x of float32 stays float32
when s is 2.0 (transforms/weak_operands.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.callers import line_text, user_line, user_spot
from funcgrad.core import tree
from funcgrad.core.array import Array, copied, raw
from funcgrad.core.tape import Equation, Symbol, Tape, equation, reachable
from funcgrad.core.trace import Trace, Tracer, constant, innermost
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.core.weak import is_weak, strong
from funcgrad.errors import ArgumentError, no_value, type_text
from funcgrad.ops import structural
from funcgrad.transforms.arguments import CLOSE_OVER, no_array, output_values
from funcgrad.transforms.named_scope import scopes
from funcgrad.transforms.results import Projection
from funcgrad.transforms.weak_operands import any_weak, converted, gives_weak

_OURS = 5
"""Frames of which an operation that is recorded takes at least so many: user_spot, _plan, _recorded or process, ..."""


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


class SymbolicTracer(Tracer):
    """A value of which only shape and dtype are known, and the equation that makes it."""

    __slots__ = ("_eqn",)
    _eqn: Equation
    _trace: SymbolicTrace

    def describe(self) -> str:
        return f"a value of type {type_text(self)} that {self._trace.transform} knows no numbers of"

    def _known(self) -> Any:
        return None

    def _leave(self, action: str) -> Any:
        return self._concrete(action)

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        transform = self._trace.transform
        raise no_value(
            action,
            self,
            f"{transform} runs the function once, on shapes and dtypes only. Choose between arrays with "
            f"funcgrad.numpy.where instead of `if`, and pass what steers the program from outside, e.g. "
            f"{transform}(lambda x: f(x, n))(x)",
        )

    def leak(self) -> str:
        transform, e = self._trace.transform, self._eqn
        inputs = [i.params for i in reachable([e]) if i.plan is None]
        function = next((f" {i['function']}" for i in inputs if "function" in i), "")
        arguments = " and ".join([i["argument"] for i in reversed(inputs) if "argument" in i])
        plan = e.operation.plan
        line = None if plan is None else plan.line
        made = f"It was made in the line {line_text(*line)}. " if line else ""
        return (
            f"a value of type {type_text(self)} is used{user_line()} that belongs to the run in which {transform} "
            f"recorded the function{function}, and that run is over. {made}"
            f"{f'It depends on the argument {arguments}. ' if arguments else ''}"
            f"A side effect let it out: it was stored in a global, an attribute, a list of an outer scope, or handed "
            f"to another thread. While {transform} records a function its values have shapes and dtypes only, and "
            f"the function does not run again when what was recorded does. Return the value from the function instead "
            f"of storing it; to look at it, use funcgrad.debug.print or funcgrad.debug.callback."
        )

    def __repr__(self) -> str:
        return f"Tracer<{self._trace.transform}, level {self._trace.level}>({type_text(self)})"


class WeakSymbolicTracer(SymbolicTracer):
    """A number without a dtype of its own, of which only that is known."""

    __slots__ = ()
    weak = True

    def strong(self) -> SymbolicTracer:
        """The same value, with the dtype that the number has when it stands alone."""
        return self._trace.tracer(self._value, self._eqn)


class SymbolicTrace(Trace):
    """Writes primitives down, with their shape rule instead of their implementation.

    `unary` and `binary` are `process` written out for operands that are tracers of this trace or Python numbers. A loop
    does the same to the same kinds of values again and again, in the same place of the code: shape rules are asked once
    for each combination, and equations share what they have in common. So an equation takes 2 us instead of 9.

    Attributes:
        effects: the equations that are there for what they do, such as printing, whoever reads their results.
        kinds: shape and dtype of results, each once; and by primitive and kinds of operands that of the result.
        plans: by primitive and by place in the code.
        tracers: the classes of values with a dtype of their own, and of numbers that have none.
    """

    __slots__ = ()
    tracers: tuple[type[SymbolicTracer], type[SymbolicTracer]] = (SymbolicTracer, WeakSymbolicTracer)
    symbolic = True
    whole = True  # whether it writes down all that a program does, or only what is done to its own tracers
    kinds: dict[Any, Any]
    plans: dict[Any, Symbol]

    def __init__(self, transform: str) -> None:
        super().__init__(transform)
        self.effects: list[Equation] = []
        self.kinds, self.plans = {}, {}

    def tracer(self, kind: ShapeDtypeStruct, eqn: Any) -> Any:
        t = self.tracers[0]()
        t._trace, t._value, t._eqn = self, kind, eqn
        return t

    def weak_tracer(self, kind: ShapeDtypeStruct, eqn: Any) -> Any:
        t = self.tracers[1]()
        t._trace, t._value, t._eqn = self, kind, eqn
        return t

    def input(self, kind: ShapeDtypeStruct) -> Any:
        eqn = equation(self.next_number(), None, (), {}, (), kind.shape, kind.dtype)
        return self.weak_tracer(kind, eqn) if isinstance(kind, Kind) and kind.weak else self.tracer(kind, eqn)

    def unary(self, primitive: Any, x: Any) -> Any:
        if type(x) is not self.tracers[0] or x._trace is not self or primitive.multiple:
            return self.process(primitive, (x,), {})
        a = x._value
        kind = self.kinds.get((primitive, id(a)))
        if kind is None:
            kind = self._learned((primitive, id(a)), primitive, a)
        return self._recorded(primitive, (x._eqn,), {}, kind)

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        strong = self.tracers[0]
        key: tuple
        inputs: tuple
        if type(x) is strong and x._trace is self:
            if type(y) is strong and y._trace is self:
                key, inputs = (primitive, id(x._value), id(y._value)), (x._eqn, y._eqn)
            elif type(y) is float or type(y) is int:
                key, inputs = (primitive, id(x._value), type(y)), (x._eqn, y)
            else:
                return self.process(primitive, (x, y), {})
        elif (type(x) is float or type(x) is int) and type(y) is strong and y._trace is self:
            key, inputs = (primitive, type(x), id(y._value)), (x, y._eqn)
        else:
            return self.process(primitive, (x, y), {})
        kind = self.kinds.get(key)
        if kind is None:
            if not isinstance(primitive.impl, np.ufunc) or primitive.multiple:  # others may look at numbers
                return self.process(primitive, (x, y), {})
            kind = self._learned(key, primitive, *[a._value if type(a) is strong else a for a in (x, y)])
        return self._recorded(primitive, inputs, {}, kind)

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        weak = False
        if any_weak(args):
            weak, args = gives_weak(primitive, args), converted(primitive, args)
        inputs: list[Any] = []
        operands: list[Any] = []
        for a in args:
            if self.own(a):
                inputs.append(a._eqn)
                operands.append(a._value)
            else:
                a = constant(a)
                if type(a) is np.ndarray:  # the tape keeps it, and its owner may write into it later
                    a = copied(a)
                inputs.append(a)
                operands.append(a)
        kind = primitive.shape(*operands, **params)
        if primitive.multiple:
            return tuple(self._parts(self._plan(primitive, len(args)), tuple(inputs), params, kind))
        if not weak:
            return self._recorded(primitive, tuple(inputs), params, self._shared(kind))
        plan = self._plan(primitive, len(args))
        e = equation(self.next_number(), plan, tuple(inputs), params, (), kind.shape, kind.dtype)
        return self.weak_tracer(kind, e)

    def _learned(self, key: tuple, primitive: Any, *operands: Any) -> ShapeDtypeStruct:
        """The kind of a result, which those of the operands tell for good. These are kept, so that ids stay theirs."""
        kind = self.kinds[key] = self._shared(primitive.shape(*operands))
        for a in operands:
            self.kinds[id(a)] = a
        return kind

    def _shared(self, kind: ShapeDtypeStruct) -> ShapeDtypeStruct:
        """The one that stands for all kinds equal to this one."""
        return self.kinds.setdefault((kind.shape, kind.dtype), kind)

    def _plan(self, primitive: Any, n: int) -> Symbol:
        """The plan of an operation that is recorded now."""
        spot, scope = user_spot(_OURS), scopes.get()
        key = (primitive, n, scope) if spot is None else (primitive, n, scope, id(spot[0]), spot[1])
        plan = self.plans.get(key)
        if plan is None:
            plan = self.plans[key] = Symbol(primitive, n, spot, scope)
        return plan

    def _recorded(self, primitive: Any, inputs: tuple, params: dict, kind: ShapeDtypeStruct) -> Any:
        """A new equation, and the tracer of its result."""
        e = Equation()
        e.number, e.plan, e.inputs = self.next_number(), self._plan(primitive, len(inputs)), inputs
        e.params, e.residuals, e.shape, e.dtype = params, (), kind.shape, kind.dtype
        t = self.tracers[0]()
        t._trace, t._value, t._eqn = self, kind, e
        return t

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        call, args = call.for_tape(args)
        mask = [self.own(a) for a in args]
        kinds = [a._value if m else ShapeDtypeStruct(a.shape, a.dtype) for a, m in zip(args, mask, strict=True)]
        inputs = tuple([a._eqn if m else raw(strong(a)) for a, m in zip(args, mask, strict=True)])
        plan = Symbol(call, len(args), user_spot(), scopes.get())
        return self._parts(plan, inputs, {}, call.kinds(kinds), call.effect)

    def _parts(
        self, plan: Symbol, inputs: tuple, params: dict, kind: Sequence[ShapeDtypeStruct], effect: bool = False
    ) -> list[Any]:
        """Tracers for the results of an equation that has several."""
        shapes, dtypes = tuple(k.shape for k in kind), tuple(k.dtype for k in kind)
        parent = equation(self.next_number(), plan, inputs, params, (), shapes, dtypes)
        if effect:
            self.effects.append(parent)
        parts = []
        for i, k in enumerate(kind):
            e = equation(self.next_number(), Projection(parent, i), (parent,), {"index": i}, (), k.shape, k.dtype)
            parts.append(self.tracer(k, e))
        return parts


class ShapeTrace(SymbolicTrace):
    """The trace of eval_shape: nothing that it writes down is ever run."""

    __slots__ = ()
    abstract = True

    def uniform(self, number: Any, shape: tuple[int, ...]) -> SymbolicTracer:
        """An array that holds one number, of its dtype."""
        return self.process(structural.broadcast_to, (number,), {"shape": shape})


def recording() -> SymbolicTrace | None:
    """The innermost running trace that writes down all that a program does."""
    trace = innermost()
    while trace is not None and not (isinstance(trace, SymbolicTrace) and trace.whole):
        trace = trace.outer
    return trace


def _run(f: Callable, args: tuple, trace: SymbolicTrace) -> tuple[list[Any], Any, list[Any], Any, list[Equation]]:
    """Run f symbolically: (input equations, in_tree, (equation or value, kind) of each result, out_tree, effects)."""
    pairs, in_tree = tree.flatten_with_path(args)
    name = trace.transform
    kinds = []
    for path, x in pairs:
        weak = is_weak(x)
        if type(x) in PYTHON_NUMBERS:
            x = np.asarray(x)
        if not _has_kind(x):
            raise no_array(x, f"{name}: {tree.argument_place(path)}", CLOSE_OVER)
        kinds.append(Kind(x.shape, x.dtype, weak))
    with trace:
        tracers = [trace.input(k) for k in kinds]
        outs, out_tree = output_values(f(*in_tree.unflatten(tracers)), name)
        results = [(o._eqn if trace.own(o) else o, ShapeDtypeStruct(o.shape, o.dtype)) for o in outs]
    return [t._eqn for t in tracers], in_tree, results, out_tree, trace.effects


def _has_kind(x: Any) -> bool:
    """Whether x has a shape and a dtype, as arrays and ShapeDtypeStructs have."""
    return hasattr(x, "shape") and getattr(getattr(x, "dtype", None), "kind", "?") in "biufc"


def make_tape(f: Callable) -> Callable[..., Tape]:
    """A function that gives the program that f carries out, as a `Tape`.

    Arguments:
        f: a function of pytrees of arrays that returns one.

    Returns:
        A function with the arguments of f (arrays, numbers or ShapeDtypeStructs) that gives the Tape. f is run once, on
        shapes and dtypes; nothing is computed.

    Raises:
        NoValueError: f asks for a number, as `if x > 0` and `float(x)` do.
        ArgumentError: an argument has a leaf that is no array.

    Example:
        >>> tape = fg.make_tape(fg.grad(lambda x: fnp.sin(x) * x))(1.0)
        >>> tape(2.0) == fnp.cos(2.0) * 2.0 + fnp.sin(2.0)
        Array(True, dtype=bool)

    Source: the counterpart of `jax.make_jaxpr`.
    """
    if not callable(f):
        raise ArgumentError(f"make_tape takes a function, got {f!r} of type {type(f).__name__}")

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__"))
    def taped(*args: Any, **kwargs: Any) -> Tape:
        inputs, in_tree, results, out_tree, effects = _run(
            lambda *xs: f(*xs, **kwargs), args, SymbolicTrace("make_tape")
        )
        return Tape(inputs, [_output(o) for o, _ in results], in_tree, out_tree, symbolic=True, effects=effects)

    return taped


def _output(o: Any) -> Any:
    return constant(o) if isinstance(o, Array) else o


def eval_shape(f: Callable, *args: PyTree, **kwargs: Any) -> PyTree:
    """Shapes and dtypes of the result of a function, without computing it.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        args: its arguments: arrays, numbers or ShapeDtypeStructs.
        kwargs: the same; numbers, and what is no array, are passed to f as they are.

    Returns:
        A pytree like the result of f, of ShapeDtypeStructs.

    Raises:
        NoValueError: f asks for a number.

    Example:
        >>> x = fg.ShapeDtypeStruct((1000, 1000), "float32")
        >>> fg.eval_shape(lambda x: x @ x[0], x)
        ShapeDtypeStruct(shape=(1000,), dtype=float32)

    Source: `jax.eval_shape`.
    """
    if not callable(f):
        raise ArgumentError(f"eval_shape takes a function, got {f!r} of type {type(f).__name__}")
    given, kw_tree = tree.flatten(kwargs)
    arrays = [k for k, x in enumerate(given) if _has_kind(x)]
    n = len(args)

    def of_arrays(*xs: Any) -> PyTree:
        values = list(given)
        for k, x in zip(arrays, xs[n:], strict=True):
            values[k] = x
        return f(*xs[:n], **kw_tree.unflatten(values))

    _, _, results, out_tree, _ = _run(of_arrays, (*args, *[given[k] for k in arrays]), ShapeTrace("eval_shape"))
    return out_tree.unflatten([kind for _, kind in results])
