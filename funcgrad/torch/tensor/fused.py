"""`Fused`: a composite whose value and gradient are also written out in NumPy, for speed.

The formula says what is computed: transforms, second derivatives and forward mode differentiate it. The two functions
beside it do the same on ndarrays, and are used wherever nobody looks on. Tests compare the two.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.plan import Plans
from funcgrad.core.trace import Tracer
from funcgrad.torch.tensor.composite import Composite, CompositePlan
from funcgrad.torch.tensor.values import F4, F8


class Fused(Composite):
    """A composite that is computed, and pulled back, by functions of ndarrays. Half precision is computed in single.

    Arguments:
        f: the formula, as for `Composite`.
        forward: of the same arguments; gives the result and what the backward function needs of it.
        backward: of the cotangents (a tuple, with None for a result that nothing depends on, if there are several
            results), of what forward kept, and of the numbers of the operands that are asked for; gives a cotangent
            for each operand, of which those that are not asked for may be None.
        multiple: whether the result is a tuple.
    """

    __slots__ = ("backward", "forward")

    def __init__(self, f: Callable, forward: Callable, backward: Callable, *, multiple: bool = False) -> None:
        super().__init__(f, multiple=multiple)
        self.forward, self.backward = forward, backward
        self.plans = Plans(functools.partial(FusedPlan, self))

    def impl(self, *values: Any, **params: Any) -> Any:
        return self.run(values, params)[0]

    def run(self, values: tuple, params: dict) -> tuple[Any, Any]:
        """The result, and what the backward function needs."""
        kind = values[0].dtype
        with np.errstate(all="ignore"):
            if kind is F4 or kind is F8 or kind.kind not in "fV":
                return self.forward(*values, **params)
            out, kept = self.forward(*_cast(values, kind, F4), **params)
        return _cast(out, F4, kind) if self.multiple else out.astype(kind), kept

    def pulled(self, g: Any, kept: Any, kind: Any, wanted: tuple[int, ...]) -> Any:
        """A cotangent for each operand, of the dtype of the first."""
        if kind is F4 or kind is F8 or kind.kind not in "fV":
            return self.backward(g, kept, wanted)
        g = _cast(g, kind, F4) if self.multiple else g.astype(F4)
        return _cast(self.backward(g, kept, wanted), F4, kind)


class FusedPlan(CompositePlan):
    """That of a composite, with what the function for ndarrays kept in the place of the pullback."""

    __slots__ = ()

    def evaluate(self, values: tuple, params: dict) -> tuple[Any, tuple]:
        out, kept = self.primitive.run(values, params)
        return out, (kept, values, params, out)

    def pull(self, g: Any, residuals: tuple) -> Any:
        kept, values, params, out = residuals
        if any(isinstance(v, Tracer) for v in (*values, *(g if self.primitive.multiple else (g,)))):
            return super().pull(g, (None, values, params, out))
        if kept is None:  # hooks held what it was made of
            kept = self.primitive.run(values, params)[1]
        found = self.primitive.pulled(g, kept, values[0].dtype, self.linked)
        return found[self.linked[0]] if self.single else tuple([found[i] for i in self.linked])


def _cast(values: Any, of: Any, to: Any) -> tuple:
    """The arrays of one dtype in another."""
    return tuple([v.astype(to) if isinstance(v, np.ndarray) and v.dtype == of else v for v in values])
