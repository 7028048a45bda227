"""`make_tape` and `eval_shape`: run a function on values of which only shape and dtype are known.

A Python number among the arguments has no dtype of its own on the tape either: `x * s` of an x of float32 stays float32
when s is 2.0 (transforms/weak_operands.py).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.callers import line_text, user_line, user_place
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

    Attributes:
        effects: the equations that are there for what they do, such as printing, whoever reads their results.
        tracers: the classes of values with a dtype of their own, and of numbers that have none.
    """

    __slots__ = ()
    tracers: tuple[type[SymbolicTracer], type[SymbolicTracer]] = (SymbolicTracer, WeakSymbolicTracer)
    symbolic = True
    whole = True  # whether it writes down all that a program does, or only what is done to its own tracers

    def __init__(self, transform: str) -> None:
        super().__init__(transform)
        self.effects: list[Equation] = []

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

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        tracer = self.tracer
        if any_weak(args):
            tracer = self.weak_tracer if gives_weak(primitive, args) else self.tracer
            args = converted(primitive, args)
        mask = [self.own(a) for a in args]
        operands = [a if m else constant(a) for a, m in zip(args, mask, strict=True)]
        for i, x in enumerate(operands):
            if type(x) is np.ndarray:  # the tape keeps it, and its owner may write into it later
                operands[i] = copied(x)
        kind = primitive.shape(*[x._value if m else x for x, m in zip(operands, mask, strict=True)], **params)
        inputs = tuple([x._eqn if m else x for x, m in zip(operands, mask, strict=True)])
        plan = Symbol(primitive, len(args), user_place(), scopes.get())
        if not primitive.multiple:
            return tracer(kind, equation(self.next_number(), plan, inputs, params, (), kind.shape, kind.dtype))
        return tuple(self._parts(plan, inputs, params, kind))

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        call, args = call.for_tape(args)
        mask = [self.own(a) for a in args]
        kinds = [a._value if m else ShapeDtypeStruct(a.shape, a.dtype) for a, m in zip(args, mask, strict=True)]
        inputs = tuple([a._eqn if m else raw(strong(a)) for a, m in zip(args, mask, strict=True)])
        return self._parts(
            Symbol(call, len(args), user_place(), scopes.get()), inputs, {}, call.kinds(kinds), call.effect
        )

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
