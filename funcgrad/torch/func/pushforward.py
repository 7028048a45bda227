"""`jvp` of torch.func: forward mode, by the trace of the functional face's `jvp`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.trace import bind, constant
from funcgrad.torch.base.modes import state
from funcgrad.torch.base.treespec import TreeSpec, flatten
from funcgrad.torch.func.checks import check_aux, check_output, with_aux
from funcgrad.torch.func.entering import chosen, entering_but, standing_for
from funcgrad.torch.func.leaving import left
from funcgrad.torch.ops.legacy import ALIAS
from funcgrad.torch.tensor.dual import check_differentiable, check_not_nested, check_tangent_shape
from funcgrad.torch.tensor.graph_tracer import applied
from funcgrad.torch.tensor.levels import JVP, Level, below
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.traced import graph_value, outside
from funcgrad.torch.tensor.values import cast, raw, requires, wrapped
from funcgrad.torch.texts import func as texts
from funcgrad.transforms.jvp import JvpTrace

_NAME = "jvp(f, primals, tangents)"


def jvp(func: Callable, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> tuple:
    """The value of `func` and its derivative in the direction of tangents.

    Arguments:
        func: a function of tensors.
        primals: the tuple of its arguments.
        tangents: a tuple like primals.
        strict: refuse a result that does not depend on primals.
        has_aux: whether func returns a pair (result, aux).

    Returns:
        `(result, tangent)` or `(result, tangent, aux)`.

    Example:
        >>> from funcgrad import torch
        >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.tensor([1.0, 2.0]),))
        (tensor([0., 0.]), tensor([1., 2.]))
    """
    if not isinstance(primals, tuple):
        raise RuntimeError(texts.PRIMALS_NO_TUPLE.format(name=_NAME))
    return jvp_of(func, primals, tangents, None, has_aux, strict)


def jvp_of(
    func: Callable, args: tuple, tangents: Any, numbers: tuple[int, ...] | None, has_aux: bool, strict: bool = False
) -> tuple:
    """jvp with respect to the arguments at some positions, or to all; the others take part in the transform."""
    leaves, directions, structure = _checked(chosen(args, numbers), tangents)
    if state.dual_level >= 0:
        check_not_nested()
    leaves = [ALIAS(x) if requires(x) else x for x in leaves]  # the primal of a dual tensor is a view
    values = [graph_value(x) for x in leaves]
    tangent_of = {id(raw(t)): t for t in directions}
    directions = [cast(graph_value(t), v.dtype) for v, t in zip(values, directions, strict=True)]
    enter = entering_but(args, {}, numbers)
    trace = _FormulaTrace("jvp")
    with trace, Level(JVP, trace) as level:
        tracers = [trace.tracer(v, t) for v, t in zip(values, directions, strict=True)]
        inside = [standing_for(level, x, t) for x, t in zip(leaves, tracers, strict=True)]
        args, _ = enter(level, structure.unflatten(inside))
        out, aux = func(*args), ()
        if has_aux:
            out, aux = with_aux(out, _NAME)
        auxs, aux_spec = flatten(aux)
        check_aux(auxs)
        outs, out_spec = flatten(out)
        check_output(outs, _NAME)
        found = [_tangent(trace, o) for o in outs]
        if strict and any(t is None for t in found):
            raise RuntimeError(texts.STRICT_INDEPENDENT)
    results = [ALIAS(o) for o in left(level, outs)]  # what torch takes out of a dual tensor is a view of its primal
    derivatives = [
        o.new_zeros(o.shape) if t is None else tangent_of[id(t)] if id(t) in tangent_of else outside(t)
        for o, t in zip(results, found, strict=True)
    ]
    pair = out_spec.unflatten(results), out_spec.unflatten(derivatives)
    return (*pair, aux_spec.unflatten(left(level, auxs))) if has_aux else pair


class _FormulaTrace(JvpTrace):
    """Forward rules, and where an operation has one, PyTorch's own formula in operations on tensors one level down."""

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        op = applied.op
        if op is None or op.forward is None or op.primitive is not primitive:
            return JvpTrace.process(self, primitive, args, params)
        mask = [self.own(a) for a in args]
        values = tuple([a._value if m else constant(a) for a, m in zip(args, mask, strict=True)])
        out = bind(primitive, values, params)
        level = next(level for level in state.transforms if level.trace is self)
        with below(level):
            operands = [ALIAS(_standing(v)) if m else _standing(v) for v, m in zip(values, mask, strict=True)]
            tangents = [_standing(a._tangent) if m else None for a, m in zip(args, mask, strict=True)]
            multiple = primitive.multiple
            result = tuple([_standing(o) for o in out]) if multiple else _standing(out)
            before, applied.op = applied.op, None
            try:
                tangent = op.forward(result, *operands, *tangents, **params)
            finally:
                applied.op = before
            if tangent is NotImplemented:
                return JvpTrace.process(self, primitive, args, params)
            pairs = list(zip(result, tangent, strict=True) if multiple else ((result, tangent),))
            found = [graph_value(t if t.shape == r.shape else t.expand(r.shape)) for r, t in pairs]
        made = [self.tracer(o, cast(t, o.dtype)) for o, t in zip(out if multiple else (out,), found, strict=True)]
        return tuple(made) if multiple else made[0]

    def unary(self, primitive: Any, x: Any) -> Any:
        op = applied.op
        return (
            JvpTrace.unary(self, primitive, x)
            if op is None or op.forward is None
            else self.process(primitive, (x,), {})
        )

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        op = applied.op
        return (
            JvpTrace.binary(self, primitive, x, y)
            if op is None or op.forward is None
            else self.process(primitive, (x, y), {})
        )


def _standing(value: Any) -> Any:
    """A raw value as a tensor where formulas are computed; a number as it is."""
    return wrapped(value) if isinstance(value, (Array, np.ndarray)) else value


def _tangent(trace: JvpTrace, o: Tensor) -> Any:
    value = raw(o)
    return value._tangent if isinstance(value, Array) and trace.own(value) else None


def _checked(primals: Any, tangents: Any) -> tuple[list, list, TreeSpec]:
    """The leaves of primals and of tangents, and their structure."""
    leaves, structure = flatten(primals)
    given, t_structure = flatten(tangents)
    if structure != t_structure:
        raise RuntimeError(texts.TANGENT_STRUCTURE.format(name=_NAME, primals=structure, tangents=t_structure))
    for found, name in ((leaves, "primals"), (given, "tangents")):
        if not found:
            raise RuntimeError(f"{_NAME}: Expected {name} to contain at least one Tensor.")
        for x in found:
            if not isinstance(x, Tensor):
                raise RuntimeError(f"{_NAME}: Expected {name} to only contain Tensors, got {type(x)}")
    for p, t in zip(leaves, given, strict=True):
        check_differentiable(p, t)
        check_tangent_shape(p, t)
    return leaves, given, structure
