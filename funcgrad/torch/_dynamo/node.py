"""`CompiledFunctionBackward`: the node of a compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.autograd.function_node import NodeOfPython
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.saved import modified_error
from funcgrad.torch.tensor.values import raw, tensor_of, wrapped
from funcgrad.torch.texts import compilation as texts
from funcgrad.torch.texts import graph as graph_texts


class CompiledFunctionBackward(NodeOfPython):
    """The node of a compiled call, whose backward is compiled as well.

    Arguments:
        program: what was called.
        tensors: those that gradients go to.
        values: all arguments of the program, raw.
        residuals: what the program kept for its backward.
    """

    __slots__ = ("program", "results", "tensors", "values", "versions")
    title = "CompiledFunctionBackward"

    def __init__(self, program: Any, tensors: list, values: list, residuals: tuple) -> None:
        super().__init__(tensors)
        self.program, self.tensors, self.values, self.residuals = program, tensors, values, residuals
        self.versions = [_version(t) for t in tensors]

    def edge_count(self) -> int:
        return len(self.tensors)

    def release(self) -> None:
        """Let go of what was saved."""
        if self.residuals:
            self.residuals = self.saved = None
            self.tensors, self.values = [None] * len(self.tensors), []

    def run(self, grads: list, create_graph: bool) -> list:
        """The gradients of the tensors, from those of the linked results."""
        if self.residuals is None:
            raise RuntimeError(graph_texts.FREED)
        self._check_versions()
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
        for g in self.program.pull(self.residuals, given):
            if type(g) is not ndarray or g.base is not None or not g.flags.writeable or id(g) in taken:
                g = np.array(g)
            taken.add(id(g))
            found.append(wrapped(g))
        return found

    def _check_versions(self) -> None:
        """Raise torch's error if something was written into whose memory the residuals share."""
        own = len(self.saved) - len(self.results)
        for k, (t, counter, version) in enumerate(self.saved):
            if counter[0] == version:
                continue
            if t is not None:
                raise modified_error(t._value.shape, t._value.dtype, t._node, t._nr, counter[0], version)
            number = self.results[k - own]
            shape, kind = (self.shape, self.dtype) if self.outputs == 1 else (self.shape[number], self.dtype[number])
            raise modified_error(shape, kind, self, number, counter[0], version)

    def _recorded(self, grads: list) -> list:
        """The same as operations that are recorded, one by one: the program runs on tensors of the graph."""
        if [_version(t) for t in self.tensors] != self.versions:
            raise RuntimeError(texts.CHANGED)
        complete()
        n = len(self.tensors)
        values = [GraphTracer.of(t, raw(t)) for t in self.tensors] + self.values[n:]
        found = self.program.pull_recorded(values, [GraphTracer.of(g, raw(g)) for g in grads])
        return [tensor_of(g) for g in found]


def _version(t: Any) -> int:
    return 0 if t._counter is None else t._counter[0]


CompiledFunctionBackward.__module__ = "torch.autograd.function"
