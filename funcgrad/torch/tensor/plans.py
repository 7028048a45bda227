"""Plans that do beside what the core's do: keep what torch keeps, and lay gradients out in memory as torch does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.core.rules import Plan
from funcgrad.ops.elementwise import conjugate
from funcgrad.torch.tensor.composite import CompositePlan


class ZeroPlan:
    """The plan of an operation that torch records although its derivative is zero everywhere, such as floor."""

    __slots__ = ("keep", "kept", "linked", "names", "operands", "primitive", "single")
    checked, trusted, partial = True, None, False

    def __init__(self, primitive: Any, mask: tuple[bool, ...]) -> None:
        self.primitive = primitive
        self.operands = primitive.operands or tuple(f"x{i}" for i in range(len(mask)))
        self.linked = tuple(i for i, m in enumerate(mask) if m)
        self.single = len(self.linked) == 1
        self.names: tuple[str, ...] = ()
        self.kept: frozenset[int] = frozenset()
        self.keep: Callable = _keep_nothing

    def pull(self, g: Any, kept: tuple) -> Any:
        zeros = tuple([np.zeros(g.shape, g.dtype) for _ in self.linked])  # constants: they do not depend on g
        return zeros[0] if self.single else zeros

    def push(self, out: Any, params: dict, tangents: tuple, *values: Any) -> Any:
        return np.zeros(out.shape, out.dtype)


def _keep_nothing(out: Any, params: dict, *values: Any) -> tuple:
    return ()


def twin_of(plan: Any, kind: type) -> Any:
    """Another plan like this one."""
    twin: Any = object.__new__(kind)
    for slot in [s for c in type(plan).__mro__ for s in getattr(c, "__slots__", ())]:
        if hasattr(kind, slot):
            setattr(twin, slot, getattr(plan, slot, None))
    return twin


def keeping(plan: Any, operands: tuple[int, ...], out: bool) -> Any:
    """A plan that keeps more than its rules name: operands, and the result, because torch does."""
    more = tuple(i for i in operands if i not in plan.kept)
    out = out and "out" not in plan.names
    if not more and not out:
        return plan
    twin: Any = twin_of(plan, type(plan))
    keep = plan.keep
    twin.names = (*plan.names, *[plan.operands[i] for i in more], *(("out",) if out else ()))
    twin.kept = plan.kept | set(more)
    twin.keep = lambda result, params, *values: (*keep(result, params, *values), *[values[i] for i in more], *((result,) if out else ()))  # fmt: skip  # noqa: E501
    return twin


def filled(plan: Any) -> Any:
    """A plan whose cotangents are written out in memory of their own, as torch makes them, where its rules expand."""
    twin, pull = twin_of(plan, _FilledComposite if isinstance(plan, CompositePlan) else type(plan)), plan.pull
    if type(plan) is Plan:
        place = plan.names.index("x_shape") if "x_shape" in plan.names else None
        twin.pull = lambda g, kept: _written_out(pull(g, kept), None if place is None else kept[place])
        twin.trusted, twin.checked = None, True
    return twin


def filled_in_order(plan: Any) -> Any:
    """As `filled`, in memory whose axes are in the order of the incoming gradient's."""
    twin, pull = twin_of(plan, type(plan)), plan.pull
    twin.pull = lambda g, kept: _written_out(pull(g, kept), order="K")
    twin.trusted, twin.checked = None, True
    return twin


def looking(plan: Any) -> Any:
    """A plan whose cotangent is a view, as that of torch's, where its rule hands on what it was given."""
    twin: Any = twin_of(plan, type(plan))
    pull = plan.pull
    twin.pull = lambda g, kept: _looked(pull(g, kept))
    twin.trusted, twin.checked = None, True
    return twin


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


def conjugated(plan: Any) -> Any:
    """A plan for complex operands in torch's convention, which is the core's with conjugates before and after.

    torch's gradient of a real function is the direction of steepest ascent, the conjugate of the core's transposed
    linear map: https://docs.pytorch.org/docs/stable/notes/autograd.html#autograd-for-complex-numbers
    """
    kind = type(plan)
    if plan.primitive.name in REAL_LINEAR:
        return plan
    twin = twin_of(plan, _ConjugatedComposite if issubclass(kind, CompositePlan) else kind)
    if kind is Plan:
        pull = plan.pull
        twin.pull = lambda g, kept: _tidied(conj(pull(conj(g), kept)))
        twin.trusted, twin.checked = None, True
    return twin


class _FilledComposite(CompositePlan):
    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        return _written_out(CompositePlan.pull(self, g, kept))


class _ConjugatedComposite(CompositePlan):
    __slots__ = ()

    def pull(self, g: Any, kept: tuple) -> Any:
        return _tidied(conj(CompositePlan.pull(self, conj(g), kept)))


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
