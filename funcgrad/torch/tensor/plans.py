"""Plans that do beside what the core's do: keep what torch keeps, and lay gradients out in memory as torch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.core.plan import Plan
from funcgrad.core.rules import RulePlan
from funcgrad.ops.elementwise import conjugate
from funcgrad.torch.tensor.composite import CompositePlan


class ZeroPlan(Plan):
    """The plan of an operation that torch records although its derivative is zero everywhere, such as floor."""

    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        zeros = tuple([np.zeros(g.shape, g.dtype) for _ in self.linked])  # constants: they do not depend on g
        return zeros[0] if self.single else zeros

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        return np.zeros(out.shape, out.dtype)


def keeping(plan: Plan, operands: tuple[int, ...], out: bool) -> Any:
    """A plan that keeps more than its rules name: operands, and the result, because torch does."""
    more = tuple(i for i in operands if i not in plan.kept)
    last = ("out",) if out and "out" not in plan.names else ()
    if not more and not last:
        return plan

    def keep(result: Any, params: dict, *values: Any) -> tuple:
        found = (*plan.keep(result, params, *values), *[values[i] for i in more])
        return (*found, result) if last else found

    names = (*plan.names, *[plan.operands[i] for i in more], *last)
    return plan.but(keep=keep, kept=plan.kept | set(more), names=names)


def pulling(plan: Plan, pull: Callable) -> Any:
    """A plan like another one that pulls in its own way."""
    return plan.but(pull=pull, checked=True, trusted=None)


def filled(plan: Plan) -> Any:
    """A plan whose cotangents are written out in memory of their own, as torch makes them, where its rules expand."""
    if not isinstance(plan, (RulePlan, CompositePlan)):
        return plan
    pull, place = plan.pull, plan.names.index("x_shape") if "x_shape" in plan.names else None
    return pulling(plan, lambda g, kept: _written_out(pull(g, kept), None if place is None else kept[place]))


def filled_in_order(plan: Plan) -> Any:
    """As `filled`, in memory whose axes are in the order of the incoming gradient's."""
    pull = plan.pull
    return pulling(plan, lambda g, kept: _written_out(pull(g, kept), order="K"))


def looking(plan: Plan) -> Any:
    """A plan whose cotangent is a view, as that of torch's, where its rule hands on what it was given."""
    pull = plan.pull
    return pulling(plan, lambda g, kept: _looked(pull(g, kept)))


def _looked(ct: Any) -> Any:
    return ct if isinstance(ct, Array) else np.asarray(ct)[...]


def _written_out(ct: Any, shape: Any = None, order: Any = "C") -> Any:
    if type(ct) is tuple:
        return tuple([_written_out(c) for c in ct])
    if shape is not None and isinstance(ct, (ndarray, np.generic)) and ct.shape != shape:
        ct = np.broadcast_to(ct, shape)
    return np.array(ct, order=order) if type(ct) is ndarray and ct.base is not None else ct


REAL_LINEAR = frozenset([
    "add", "add_scaled", "alias", "broadcast_to", "concatenate", "cumsum", "diagonal", "embed_diagonal", "flip",
    "getitem", "getitem with indices", "identity", "index_add with indices", "negative", "pad", "pick_along_axis",
    "reduce_mean", "reduce_sum", "repeat", "reshape", "roll", "roll_flat", "scatter_add", "split", "stack", "subtract",
    "subtract_from", "subtract_scaled", "take_along_axis", "trace", "transpose", "tril", "triu", "unfold", "unstack",
    "where",
])  # fmt: skip
"""Primitives that are linear with real coefficients: conjugation passes through them."""


def conjugated(plan: Plan) -> Any:
    """A plan for complex operands in torch's convention, which is the core's with conjugates before and after.

    torch's gradient of a real function is the direction of steepest ascent, the conjugate of the core's transposed
    linear map: https://docs.pytorch.org/docs/stable/notes/autograd.html#autograd-for-complex-numbers
    """
    if plan.primitive.name in REAL_LINEAR or not isinstance(plan, (RulePlan, CompositePlan)):
        return plan
    pull = plan.pull
    return pulling(plan, lambda g, kept: _tidied(conj(pull(conj(g), kept))))


def conj(x: Any) -> Any:
    if type(x) in (tuple, list):
        return tuple([conj(e) for e in x])
    if isinstance(x, Deferred):
        x = x.dense()
    return conjugate(x) if x is not None and x.dtype.kind == "c" else x


def _tidied(x: Any) -> Any:
    """Imaginary zeros that the conjugation, which made these arrays, left negative are zeros."""
    if type(x) is tuple:
        return tuple([_tidied(e) for e in x])
    if type(x) is ndarray and x.dtype.kind == "c":
        x.imag += 0
    return x
