"""Forward-mode derivatives: tangents of the operands of an operation give those of its results."""

from __future__ import annotations

from typing import Any

from funcgrad.core.trace import Tracer
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import give_tangent, state
from funcgrad.torch.tensor.graph_tracer import GraphTracer, applied
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import new, raw, tensor_of
from funcgrad.torch.texts import tensor as texts
from funcgrad.transforms.jvp import JvpTracer


def refuse_forward(values: Any, text: str) -> None:
    """Raise torch's error if forward mode is differentiating one of these."""
    for v in values:
        while isinstance(v, Tracer):
            if isinstance(v, JvpTracer):
                raise NotImplementedError(text)
            v = v._value


def push_tangents(op: Any, args: tuple, values: list, params: dict, results: Any) -> None:
    """Forward-mode derivatives: tangents of the operands, if there are any, give those of the results, recorded."""
    mask = tuple([isinstance(a, Tensor) and a._tangent is not None for a in args])
    plan = op.primitive.plans[mask] if True in mask else None
    if plan is None:
        return
    if op.backward_only:
        raise NotImplementedError(texts.NO_FORWARD.format(name=op.backward_only))
    if op.forward is not None:
        given = [primal(a) if isinstance(a, Tensor) else a for a in args]
        made = tuple([primal(r) for r in results]) if op.multiple else primal(results)
        own = [a._tangent if m else None for a, m in zip(args, mask, strict=True)]
        state.forward_grad = False
        try:
            t = op.forward(made, *given, *own, **params)
        finally:
            state.forward_grad = True
        if t is not NotImplemented:
            for r, one in zip(results, t, strict=True) if op.multiple else ((results, t),):
                take_tangent(r, one)
            return
    operands = [GraphTracer.of(primal(a), v) if isinstance(a, Tensor) else v for a, v in zip(args, values, strict=True)]
    tangents = tuple([_tangent_in(a, v) if m else None for a, v, m in zip(args, values, mask, strict=True)])
    outs = results if op.multiple else (results,)
    shown = tuple([GraphTracer.of(r, r._value) for r in outs])
    before, applied.op = applied.op, op
    state.forward_grad = False  # the rules themselves are not differentiated forwards
    try:
        found = plan.push(shown if op.multiple else shown[0], params, tangents, *operands)
    finally:
        state.forward_grad, applied.op = True, before
    for r, t in zip(outs, found if op.multiple else (found,), strict=True):
        if r._value.dtype.kind not in "iub" and t is not None:
            take_tangent(r, tensor_of(t))


def take_tangent(r: Any, t: Any) -> None:
    """Let a result have a tangent, which gets its shape and dtype."""
    if t._value.shape != r._value.shape:
        t = t.expand(r._value.shape)
    if t._value.dtype != r._value.dtype:
        t = t.to(of_numpy(r._value.dtype))
    give_tangent(r, t)
    if r._node is not None and r._node.saved:
        r._node.keep_tangent(r._nr, t)


def primal(a: Any) -> Any:
    """The same tensor, with the same history, without a forward derivative."""
    if a._tangent is None:
        return a
    t = new(Tensor)
    vars(t).update(vars(a))
    t._set(tangent=None)
    return t


def _tangent_in(a: Any, value: Any) -> GraphTracer:
    """The tangent of an operand in the dtype that the operand was promoted to."""
    t = a._tangent
    if t._value.dtype != value.dtype:
        t = t.to(of_numpy(value.dtype))
    return GraphTracer.of(t, raw(t))
