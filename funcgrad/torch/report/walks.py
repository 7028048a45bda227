"""What is seen of backward walks: where gradients vanish, become zero, or stop being finite."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.torch.report.calls import array_of, nonzero
from funcgrad.torch.report.leaves import Leaf, Leaves
from funcgrad.torch.tensor.node import AccumulateGrad
from funcgrad.torch.tensor.tensor import Tensor

TINY = 1e-12
"""Gradients that are smaller everywhere change nothing, and count as zero."""


class Size(NamedTuple):
    """What matters of a gradient: the largest absolute value, whether all are finite."""

    largest: float
    finite: bool

    @property
    def zero(self) -> bool:
        return self.finite and self.largest <= TINY


NOTHING = Size(0.0, True)


def size(value: Any) -> Size:
    """That of an ndarray or tensor; of None nothing."""
    if isinstance(value, Tensor):
        value = array_of(value)
    if not isinstance(value, np.ndarray) or not value.size:
        return NOTHING
    with np.errstate(all="ignore"):
        found = np.abs(value.astype(np.float64) if value.dtype.kind not in "fc" else value)
        if not np.isfinite(found).all():
            return Size(float("inf"), False)
        return Size(float(found.max()), True)


class Edge(NamedTuple):
    """A gradient that a node handed on: of which node, for which operand, what came and what went."""

    node: Any
    operand: int
    came: Size
    went: Size
    missing: bool


class Operands(NamedTuple):
    """What a node saved that makes its gradients zero: tensors that are zero everywhere, and zero numbers."""

    zero: list[Any]
    number: bool


class Observer:
    """Looks on at one walk, and at those within it.

    Arguments:
        leaves: those that are known.
        leaf: gives the record of one that is not.
        accumulates: called with a leaf and its old gradient when a new one arrives.
    """

    def __init__(self, leaves: Leaves, leaf: Callable[[Any], Leaf], accumulates: Callable[[Leaf, Any], None]) -> None:
        self.leaves, self.leaf, self.accumulates = leaves, leaf, accumulates
        self.into: dict[Any, list[Edge]] = {}
        self.reached: dict[int, Size] = {}
        self.nodes: dict[int, Any] = {}  # the AccumulateGrad nodes by the key of their leaf
        self.operands: dict[Any, Operands] = {}
        self.hooked: dict[Any, tuple[Size, Size, Any]] = {}
        self.node: Any = None
        self._before: list = []

    def begins(self, node: Any, grads: list) -> None:
        """A node is about to run, on these gradients, which its hooks have not seen."""
        self.node = node
        self._before = [size(g) for g in grads]

    def ran(self, node: Any, grads: list, found: list) -> None:
        """A node has run."""
        sizes = [size(g) for g in grads]
        came = Size(max((s.largest for s in sizes), default=0.0), all(s.finite for s in sizes))
        for before, after in zip(self._before, sizes, strict=False):
            if not before.zero and after.zero:
                self.hooked[node] = (before, after, _hooks_of(node))
        for k, i in zip(node.linked, node.inputs, strict=True):
            ct = found[k] if k < len(found) else None
            went = size(ct)
            self.into.setdefault(i, []).append(Edge(node, k, came, went, ct is None))
            if not came.zero and went.zero and node not in self.operands:
                self.operands[node] = _operands(node)

    def arrived(self, tensor: Any, value: Any) -> None:
        """A gradient is about to be added to that of a leaf."""
        leaf = self.leaves.of(tensor)
        if leaf is None:
            leaf = self.leaf(tensor)
        arrived = size(value)
        self.reached[leaf.key] = arrived
        node = tensor._accumulate() if tensor._accumulate is not None else None
        self.nodes[leaf.key] = node
        hooks = tensor._hooks
        if hooks and node is not None and arrived.zero and any(not e.went.zero for e in self.into.get(node, ())):
            self.hooked[node] = (self.into[node][0].went, arrived, list(hooks.values()))
        self.accumulates(leaf, None if tensor._grad is None else array_of(tensor._grad))

    def zero_at(self, node: Any) -> Edge | None:
        """Where the gradient for a node became zero: the edge that a zero leaves and no zero comes to."""
        seen, order = {node}, deque([node])
        while order:
            at = order.popleft()
            for edge in self.into.get(at, ()):
                if not edge.came.zero:
                    if edge.went.zero or at is not node:  # or what arrived adds up to zero, or a hook made zero of it
                        return edge
                elif edge.node not in seen:
                    seen.add(edge.node)
                    order.append(edge.node)
        return None

    def hook_at(self, node: Any) -> Any:
        """The hooks that made the gradient for a node zero, None if none did."""
        seen, order = {node}, deque([node])
        while order:
            at = order.popleft()
            if at in self.hooked:
                return self.hooked[at][2]
            for edge in self.into.get(at, ()):
                if edge.went.zero and edge.node not in seen:
                    seen.add(edge.node)
                    order.append(edge.node)
        return None

    def bad_at(self, node: Any) -> Edge | None:
        """The same for a gradient that is not finite."""
        seen, order = {node}, deque([node])
        last = None
        while order:
            at = order.popleft()
            for edge in self.into.get(at, ()):
                if edge.went.finite:
                    continue
                if edge.came.finite:
                    return edge
                last = edge
                if edge.node not in seen:
                    seen.add(edge.node)
                    order.append(edge.node)
        return last

    def missing_at(self, nodes: list[Any]) -> Edge | None:
        """The edge of which a node gave no gradient, though one came to it."""
        for node in nodes:
            seen, order = {node}, deque([node])
            while order:
                at = order.popleft()
                for edge in self.into.get(at, ()):
                    if edge.missing and not edge.came.zero:
                        return edge
                    if edge.node not in seen:
                        seen.add(edge.node)
                        order.append(edge.node)
        return None


def _hooks_of(node: Any) -> list[Any]:
    by_number = getattr(node, "_tensor_hooks", None) or {}
    return [h for hooks in by_number.values() for h in hooks.values()] + list(
        (getattr(node, "_pre_hooks", None) or {}).values()
    )


def _operands(node: Any) -> Operands:
    """The operands of a node that make its gradients zero."""
    zero = []
    for tensor, _, _ in getattr(node, "saved", None) or ():
        if isinstance(tensor, Tensor) and not tensor._wrapped_number:
            value = array_of(tensor)
            if value is not None and value.size and value.dtype.kind in "fc" and not nonzero(value):
                zero.append(tensor)
    residuals = getattr(node, "residuals", None) or ()
    number = any(isinstance(r, (int, float)) and not isinstance(r, bool) and r == 0 for r in residuals)
    return Operands(zero, number)


def leaf_nodes(node: Any) -> set[Any]:
    """The AccumulateGrad nodes that a graph leads to."""
    seen, order = {node}, [node]
    for n in order:
        for i in n.inputs:
            if i not in seen and len(seen) < 50000:
                seen.add(i)
                order.append(i)
    return {n for n in seen if type(n) is AccumulateGrad}
