"""How jit writes a function down: like other closed functions, with weak numbers and with remedies in its messages.

A Python number among the arguments is *weak*: `x * 2.0` leaves a float32 x as it is, and so must `x * s` when s is 2.0
(transforms/weak_operands.py). What Python's own operators make of weak numbers alone is weak again; what functions make
of them is not, as without jit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.tape import reachable
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import no_value
from funcgrad.transforms.closing import ClosingTrace, ClosingTracer, WeakTracer
from funcgrad.transforms.make_tape import Kind

_REMEDIES = {
    "bool(x)": "Choose with funcgrad.lax.cond(pred, f, g, x) instead of `if`, or elementwise with "
    "funcgrad.numpy.where; repeat with funcgrad.lax.while_loop instead of `while`",
    "x as an index": "Index with x itself, as in a[x] for an Array a, and loop with funcgrad.lax.fori_loop instead of "
    "range",
    "np.asarray(x)": "Use the functions of funcgrad.numpy, which take x as it is (to index an ndarray a with integers "
    "x write funcgrad.numpy.asarray(a)[x])",
    "float(x)": "Keep computing with x itself: with functions of funcgrad.numpy instead of those of math, and with "
    "y = y.at[i].set(x) on an Array y instead of y[i] = x on a plain ndarray",
}


class Argument(Kind):
    """Shape and dtype of a leaf of the arguments of a compiled function.

    Arguments:
        shape, dtype: of the leaf.
        weak: whether it is a Python number, without a dtype of its own.
        name: what the user calls it, for messages.
        function: the name of the function.
    """

    __slots__ = ("function", "name")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, weak: bool, name: str, function: str) -> None:
        super().__init__(shape, dtype, weak)
        self.name, self.function = name, function


class JitTracer(ClosingTracer):
    """A value in a function that is being compiled."""

    __slots__ = ()

    def describe(self) -> str:
        return f"a value of type {self.dtype}[{','.join(map(str, self.shape))}] in a function that jit compiles"

    def __str__(self) -> str:
        return repr(self)  # for print, which shows what is known while the function is recorded

    def __format__(self, spec: str) -> str:
        return self._concrete("format(x)") if spec else repr(self)

    def _leave(self, action: str) -> Any:
        return self._concrete(action)

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        names = [e.params["argument"] for e in reachable([self._eqn]) if "argument" in e.params]
        who = " and ".join([f"the argument {name}" for name in reversed(names)]) or "what jit does not know"
        steers = "static, if it steers the program: fg.jit(f, static_argnames=...)"
        static = f", or make {names[-1]} {steers}" if names else ""
        asked = "np.asarray(x)" if action.startswith("np.asarray(x") else action
        remedy = _REMEDIES.get(asked, "Keep computing with x itself")
        raise no_value(
            action,
            self,
            f"jit runs the function once, on shapes and dtypes only. This concrete value was not available in Python "
            f"because it depends on the value of {who}. {remedy}{static}",
        )


class WeakJitTracer(JitTracer, WeakTracer):
    """A Python number in a function that is being compiled."""

    __slots__ = ()


class JitTrace(ClosingTrace):
    """Writes the program of a compiled function down."""

    __slots__ = ()
    tracers = (JitTracer, WeakJitTracer)

    def input(self, kind: ShapeDtypeStruct) -> ClosingTracer:
        t = super().input(kind)
        if isinstance(kind, Argument):
            t._eqn.params = {"argument": kind.name, "function": kind.function}
        return t
