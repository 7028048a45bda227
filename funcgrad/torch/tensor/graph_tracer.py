"""`GraphTracer`: a tensor where the core's rules see an array.

Where gradients are themselves to be differentiated (create_graph), and for forward-mode derivatives, the core's rules
run on these. What they do is recorded in torch's own graph, whose level lies between evaluation and every transform.
"""

from __future__ import annotations

import threading
from typing import Any

from funcgrad.core.array import Array
from funcgrad.core.trace import Trace, Tracer
from funcgrad.torch.tensor.levels import GRAPH_LEVEL
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.vjp import VjpTrace
from funcgrad.transforms.vmap import BatchTrace


class GraphTrace(Trace):
    """What primitives do when the core's rules run on tensors: they compute, and are recorded in torch's graph.

    There is one such trace. Its `process` needs operations, so it is installed where they are known.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("backward with create_graph")
        self.level = GRAPH_LEVEL


GRAPH = GraphTrace()


class GraphTracer(Tracer):
    """A tensor, where the core's rules see an array."""

    __slots__ = ("_tensor",)

    @staticmethod
    def of(tensor: Any, value: Any) -> GraphTracer:
        t = GraphTracer()
        t._trace, t._value, t._tensor = GRAPH, value, tensor
        return t


class _Applied(threading.local):
    """For each thread the operation that the transforms of torch.func are being shown.

    Traces know primitives only. Where one that runs on tensors is given the primitive of this operation, perhaps by a
    batching rule and with other parameters, it records this operation and not just any that has the primitive.
    """

    op: Any = None


applied = _Applied()


def in_graph(values: Any) -> bool:
    """Whether one of these raw values is, below gradients, derivatives and batches, a tensor."""
    found = False
    for v in values:
        while isinstance(v, Array):
            if type(v) is GraphTracer:
                found = True
            elif isinstance(v, Tracer) and not isinstance(v._trace, _COMPUTING):
                return False  # symbols, of which primitives are written down
            v = v._value
    return found


def symbolic(value: Any) -> bool:
    """Whether a raw value is a symbol, below gradients, derivatives and batches: what is done is written down."""
    while isinstance(value, Array) and type(value) is not GraphTracer:
        if isinstance(value, Tracer) and not isinstance(value._trace, _COMPUTING):
            return True
        value = value._value
    return False


_COMPUTING = (VjpTrace, JvpTrace, BatchTrace)
