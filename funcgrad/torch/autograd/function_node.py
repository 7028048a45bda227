"""The node of a custom Function."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import ref

import numpy as np

from funcgrad.torch.autograd.function_context import BackwardCFunction
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.tensor.node import Node, next_edge, next_number
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.validity import check_kind, check_shape, expected
from funcgrad.torch.tensor.values import wrapped
from funcgrad.torch.texts import custom_functions as texts


class NodeOfPython(Node):
    """A node whose gradients are found by a function in Python, not by the rules of a primitive.

    Arguments:
        tensors: those that its gradients go to, None where there is nothing.
    """

    __slots__ = ()

    def __init__(self, tensors: Iterable) -> None:
        super().__init__()
        self.slow = True
        self.number, self.plan, self.op, self.params = next_number(), None, None, {}
        self.residuals, self.saved = (), ()
        rows = [
            (k, node, x._nr)  # which next_edge may renew
            for k, x in enumerate(tensors)
            if x is not None and (node := next_edge(x)) is not None
        ]
        self.linked, self.inputs, self.numbers = (tuple(c) for c in zip(*rows, strict=True)) if rows else ((), (), ())

    def gives(self, outputs: Sequence, known: Sequence) -> None:
        """Note the shapes and dtypes of the outputs that are tensors; the dtype only of those that are known."""
        self.outputs = len(outputs)
        types = [
            (x._value.shape, x._value.dtype if k else None) if isinstance(x, Tensor) else ((), None)
            for x, k in zip(outputs, known, strict=True)
        ]
        self.shape, self.dtype = types[0] if self.outputs == 1 else tuple(zip(*types, strict=True)) or ((), ())


class FunctionNode(NodeOfPython, BackwardCFunction):
    """The node of a custom Function. What it has no attribute for is its ctx's."""

    __slots__ = ("ctx", "given")
    runs_on_nothing = True

    def __init__(self, ctx: BackwardCFunction, inputs: tuple) -> None:
        self.ctx = ctx
        ctx._node = ref(self)
        self.__dict__ = ctx.__dict__  # what has no slot is set on both
        super().__init__([x for x in inputs if isinstance(x, Tensor)])
        self.outputs, self.shape, self.dtype = 0, (), ()
        self.given = tuple([isinstance(x, Tensor) for x in inputs])

    def __getattr__(self, name: str) -> Any:
        if name in _SLOTS:  # not set
            raise AttributeError(name)
        return getattr(self.ctx, name)

    def __call__(self, *grads: Any) -> Any:
        raise TypeError(f"'{self.title}' object is not callable")

    __repr__ = BackwardCFunction.__repr__
    saved_tensors = property(lambda self: self.ctx.saved_tensors)
    _raw_saved_tensors = property(lambda self: self.ctx._raw_saved_tensors)
    needs_input_grad = property(lambda self: self.ctx.needs_input_grad)
    materialize_grads = property(lambda self: self.ctx.materialize_grads)

    def apply(self, *grads: Any) -> Any:
        """Call the Function's backward."""
        return self.ctx.apply(*grads)

    def release(self) -> None:
        """Let go of what was saved."""
        self.ctx._entries = None

    def edge_count(self) -> int:
        """One for each input that is a tensor."""
        return sum(self.given)

    def run(self, grads: list, create_graph: bool) -> list:
        """The gradients of the tensor inputs, from those of the outputs."""
        if self.materialize_grads:
            shapes, kinds = (self.shape, self.dtype) if self.outputs != 1 else ((self.shape,), (self.dtype,))
            grads = [
                wrapped(np.zeros(s, k)) if g is None and k is not None else g
                for g, s, k in zip(grads, shapes, kinds, strict=True)
            ]
        found = self.ctx.apply(*grads)
        return self._checked(found if isinstance(found, tuple) else (found,))

    def _checked(self, found: tuple) -> list:
        """What backward returned, without the places of inputs that are no tensors."""
        n = len(self.given)
        if len(found) > n and all(g is None for g in found[n:]):
            found = found[:n]
        if len(found) != n:
            raise RuntimeError(texts.GRADIENT_COUNT.format(name=self.name(), expected=n, got=len(found)))
        kept = []
        for k, (g, given) in enumerate(zip(found, self.given, strict=True)):
            if not given:
                if g is not None:
                    raise RuntimeError(texts.GRADIENT_OF_NO_TENSOR.format(name=self.name(), position=k + 1))
                continue
            if g is not None and not isinstance(g, Tensor):
                raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
            kept.append(g)
        for k, node, number in zip(self.linked, self.inputs, self.numbers, strict=True):
            if kept[k] is not None:
                kept[k] = valid_grad(self, k, kept[k], node, number)
        return kept


_SLOTS = frozenset(name for cls in FunctionNode.__mro__ for name in getattr(cls, "__slots__", ()))


def valid_grad(node: Node, k: int, g: Any, to: Node, number: int) -> Any:
    """The k-th gradient that a node returned, in the shape and dtype of what it is the gradient of.

    Raises:
        RuntimeError: it cannot be brought to that shape.
    """
    shape, kind = expected(to, number)
    if g._value.shape != shape:
        check_shape(g._value.shape, shape, node, k)
        g = g.sum_to_size(shape)
    if g._value.dtype != kind:
        check_kind(g._value.dtype, kind)
        g = g.to(of_numpy(kind))
    return g
