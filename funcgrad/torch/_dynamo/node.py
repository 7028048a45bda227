"""`CompiledFunctionBackward`: the node of a compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.plan import Plan
from funcgrad.torch.autograd.function_node import NodeOfPython
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.journal import entries, journal, note
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.node import next_edge, next_number
from funcgrad.torch.tensor.saved import modified_error
from funcgrad.torch.tensor.values import raw, tensor_of, wrapped
from funcgrad.torch.tensor.views import counter_of
from funcgrad.torch.texts import compilation as texts
from funcgrad.torch.texts import graph as graph_texts

_NOTHING: dict[str, Any] = {}
_ALONE = ((None, [0], 0),)
"""What a node has in `saved` that shares memory with nobody: the walk shall let go of its residuals."""


class BackwardPlan(Plan):
    """Stands where the plan of a recorded primitive does, so that the walk takes its short way.

    Arguments:
        body: the backward program, from residuals and a cotangent for each result to the cotangents of the operands.
        count: how many operands there are.
    """

    __slots__ = ("body",)
    checked = False

    def __init__(self, body: Any, count: int) -> None:
        self.body = body
        self.operands, self.linked, self.single = (), tuple(range(count)), count == 1

    def pull(self, g: Any, kept: tuple) -> Any:
        found = self.body.kernel(*kept, g)
        return found[0] if self.single else found


class CompiledFunctionBackward(NodeOfPython):
    """The node of a compiled call, whose backward is compiled as well.

    Attributes:
        program: what was called.
        tensors: those that gradients go to.
        values: all arguments of the program, raw.
        versions: those that the tensors had.
        residuals: what the program kept for its backward.
        saved: what shares memory with that: (tensor or None for a result, version counter, version).
        results: the numbers of the results in `saved`, which are at its end.
    """

    __slots__ = ("program", "results", "tensors", "values", "versions")
    title = "CompiledFunctionBackward"

    def __init__(self, program: Any, tensors: tuple, values: tuple, residuals: tuple) -> None:
        self.program, self.tensors, self.values, self.residuals = program, tensors, values, residuals
        self.versions = [0 if (c := t._counter) is None else c[0] for t in tensors]
        edges = tuple([next_edge(t) for t in tensors])  # may make nodes, which are older than this one
        self.inputs, self.numbers = edges, tuple([t._nr for t in tensors])
        self.linked, self.number, self.plan = program.plan.linked, next_number(), program.plan
        self.op, self.params, self.saved, self.results = None, _NOTHING, _ALONE, ()
        self.outputs = len(program.links)
        self.slow = self.outputs != 1
        self.shape, self.dtype = program.shapes, program.dtypes
        if journal.on:
            note(self.number, self.title, None, True, None, None, entries(tensors), 3)

    def edge_count(self) -> int:
        return len(self.tensors)

    def release(self) -> None:
        """Let go of what was saved."""
        if self.residuals is not None:
            self.residuals = self.saved = None
            self.tensors, self.values = (None,) * len(self.tensors), ()

    def run(self, grads: list, create_graph: bool) -> list:
        """The gradients of the tensors, from those of the linked results."""
        if self.residuals is None:
            raise RuntimeError(graph_texts.FREED)
        self.check_versions()
        shapes, kinds = (self.shape, self.dtype) if self.outputs != 1 else ((self.shape,), (self.dtype,))
        grads = [
            wrapped(np.zeros(s, k)) if g is None and k is not None else g
            for g, s, k in zip(grads, shapes, kinds, strict=True)
        ]
        grads = [g for g, k in zip(grads, kinds, strict=True) if k is not None]
        if create_graph and state.grad:
            return self._recorded(grads)
        given = [raw(g) for g in grads]
        taken = {id(x) for x in (*given, *self.residuals)}
        found = []
        for g in self.program.backward.body.kernel(*self.residuals, *given):
            if type(g) is not ndarray or g.base is not None or not g.flags.writeable or id(g) in taken:
                g = np.array(g)
            taken.add(id(g))
            found.append(wrapped(g))
        return found

    def check_versions(self) -> None:
        """Raise torch's error if something was written into whose memory the residuals share."""
        own = len(self.saved) - len(self.results)
        for k, (t, counter, version) in enumerate(self.saved):
            if counter[0] == version:
                continue
            if t is not None:
                raise modified_error(t._value.shape, t._value.dtype, t._node, t._nr, counter[0], version)
            number: int = self.results[k - own]
            shape, kind = (self.shape, self.dtype) if self.outputs == 1 else (self.shape[number], self.dtype[number])
            raise modified_error(shape, kind, self, number, counter[0], version)

    def _recorded(self, grads: list) -> list:
        """The same as operations that are recorded, one by one: the program runs on tensors of the graph."""
        if [0 if t._counter is None else t._counter[0] for t in self.tensors] != self.versions:
            raise RuntimeError(texts.CHANGED)
        complete()
        values = list(self.values)
        for i, t in zip(self.program.linked, self.tensors, strict=True):
            values[i] = GraphTracer.of(t, raw(t))
        found = self.program.pull_recorded(values, [GraphTracer.of(g, raw(g)) for g in grads])
        return [tensor_of(g) for g in found]


def saved_version(t: Any) -> tuple:
    """What a node notes of an argument whose memory it needs."""
    counter = counter_of(t)
    return t, counter, counter[0]


def saved_result(t: Any) -> tuple:
    """What a node notes of a result whose memory it needs: the version only, for it holds the node."""
    counter = counter_of(t)
    return None, counter, counter[0]


def freed_node(result: Any) -> Any:
    """The node of a result of a training step, whose graph has been freed by the `backward()` in it."""
    node: Any = object.__new__(CompiledFunctionBackward)
    node.program, node.tensors, node.values, node.residuals, node.saved = None, (), (), None, None
    node.inputs, node.numbers, node.linked, node.number, node.plan = (), (), (), next_number(), None
    node.op, node.params, node.results, node.outputs, node.slow = None, _NOTHING, (), 1, True
    node.shape, node.dtype = result._value.shape, result._value.dtype
    if journal.on:
        note(node.number, node.title, None, True, None, None, (), 3)
    return node


CompiledFunctionBackward.__module__ = "torch.autograd.function"
