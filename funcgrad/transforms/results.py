"""Equations with several results, and the plans of operations that bring their own rules.

An operation with several results is one equation, and each result is a further equation that picks it. Going backwards,
the cotangents of the results are collected until all have arrived (core/cotangent.py).

A primitive has a `RulePlan`, made from its record. An operation that holds functions (transforms/call.py) has no
record: it gives its results together with a function that pulls cotangents back, and the `CallPlan` carries that into
the walk.
"""

from __future__ import annotations

from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import raw
from funcgrad.core.cotangent import OpenParts, Parts
from funcgrad.core.plan import Plan, numbered
from funcgrad.core.tape import Equation
from funcgrad.core.trace import zeros


class Item:
    """In the place of a primitive: picks one of several results."""

    name = "item"
    impl = staticmethod(lambda xs, index: xs[index])

    def __call__(self, xs: tuple, index: int) -> Any:
        return xs[index]


ITEM = Item()


class Projection(Plan):
    """The plan of one of the results of an equation that has several.

    Arguments:
        parent: that equation.
        index: which result.
    """

    __slots__ = ("dtype", "kind", "picks", "shape")
    picks: int
    checked = False

    def __init__(self, parent: Equation, index: int) -> None:
        self.primitive, self.operands, self.linked, self.single = ITEM, ("x",), (0,), True
        self.picks, self.shape, self.dtype = index, parent.shape, parent.dtype
        self.kind = OpenParts if parent.plan is not None and parent.plan.partial else Parts

    def pull(self, g: Any, kept: tuple) -> Parts:
        return self.kind({self.picks: g}, self.shape, self.dtype)

    def same_as(self, other: Any) -> bool:
        return self.picks == other.picks


class CallPlan(Plan):
    """How to pull back through an operation that brings its own rules.

    Arguments:
        call: the operation.
        mask: which of its operands are differentiated.
        structure: of its pullback, a pytree; the leaves of that are the residuals of the equation. The pullback takes a
            tuple with a cotangent for each result (None where there is none), and gives one for each marked operand
            (None for zero).
        kinds: shape and dtype of each marked operand.
    """

    __slots__ = ("kinds", "mask", "structure")
    partial = True

    def __init__(self, call: Any, mask: tuple[bool, ...], structure: Any, kinds: tuple) -> None:
        self.primitive, self.operands = call, numbered(len(mask))
        self.mask, self.structure, self.kinds = mask, structure, kinds
        self.linked = tuple([i for i, m in enumerate(mask) if m])
        self.single = len(self.linked) == 1

    def pull(self, g: tuple, kept: tuple) -> Any:
        found = [
            zeros(shape, dtype) if ct is None else raw(ct)
            for ct, (shape, dtype) in zip(self.structure.unflatten(kept)(g), self.kinds, strict=True)
        ]
        return found[0] if self.single else found

    def same_as(self, other: Any) -> bool:
        return self.primitive is other.primitive and self.mask == other.mask and self.structure == other.structure


def pullback_leaves(pullback: Any) -> tuple[tuple, Any]:
    """A pullback taken apart: what the equation keeps, and the structure, by whose `unflatten` it is put together.

    A pullback that has `leaves` and a `structure` knows the answer, and saves the way through its pytree.
    """
    if hasattr(pullback, "structure"):
        leaves, structure = pullback.leaves, pullback.structure
    else:
        leaves, structure = tree.flatten(pullback)
    return tuple([raw(x) for x in leaves]), structure
