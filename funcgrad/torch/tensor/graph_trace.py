"""The core's rules on tensors: each primitive that they apply is an operation in torch's own graph."""

from __future__ import annotations

from typing import Any

from funcgrad.core.trace import constant
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.graph_tracer import GraphTrace, GraphTracer, applied
from funcgrad.torch.tensor.levels import recorded_in_graph
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.operation import matrix_transpose, operation_of
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw, wrapped


@member_of(GraphTrace)
def process(trace: Any, primitive: Any, args: tuple, params: dict) -> Any:
    tensors = tuple([a._tensor if type(a) is GraphTracer else a for a in args])
    values = [a._value if type(a) is GraphTracer else constant(a) for a in args]
    if primitive.name == "stop":
        return values[0]
    if hasattr(primitive, "on_tensors"):  # a custom Function, which records itself
        outs = primitive.on_tensors([t if isinstance(t, Tensor) else wrapped(t) for t in tensors])
        return tuple([GraphTracer.of(o, raw(o)) for o in outs])
    op = applied.op
    if op is None or op.primitive is not primitive:
        op = matrix_transpose[0] if params.get("axes") == (1, 0) else operation_of(primitive, values)
    if op.some is not None and _some(params, values[0].ndim):
        op = op.some
    before, wanted = state.grad, recorded_in_graph()
    if before is wanted:
        out = op.in_rule(tensors, values, params)
    else:
        state.grad = wanted
        try:
            out = op.in_rule(tensors, values, params)
        finally:
            state.grad = before
    if primitive.multiple:
        return tuple([GraphTracer.of(o, o._value) for o in out])
    return GraphTracer.of(out, out._value)


def _some(params: dict, ndim: int) -> bool:
    """Whether a reduction with these parameters leaves dimensions."""
    axis = params.get("axis")
    left = 0 if axis is None else ndim - (len(axis) if type(axis) is tuple else 1)
    return left > 0 or bool(params.get("keepdims"))
