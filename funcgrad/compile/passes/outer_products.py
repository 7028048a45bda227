"""Outer products: what is summed of one for each example is had without them.

The gradient of a layer's matrix at one example is an outer product. The sum over all examples, each with a weight of
its own, is Σ w u vᵀ, one product of matrices; and the squares of the elements add up to those of u times those of v. So
gradients whose norms are bounded one by one, as private training asks for, are never written.
"""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import contract, reduce, structural
from funcgrad.ops import elementwise as ew


@with_any(contract.outer_product)
def outer_products(tape: Tape) -> Tape:
    """The tape with such sums as products of matrices, and of sums of squares."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    x = inputs[0] if e.primitive is reduce.reduce_sum and not e.params.get("dtype") else None
    if type(x) is not Equation or x.dtype != e.dtype:
        return None
    if e.params["axis"] == (0,) and not e.params.get("keepdims"):
        return _over_examples(e, x)
    if e.params["axis"] == tuple(range(1, len(x.shape))):
        return _squares(e, x)
    return None


def _vectors(x: Any) -> tuple[Equation, Equation] | None:
    """The rows of two matrices of which x is the outer products."""
    if type(x) is not Equation or x.primitive is not contract.outer_product or x.dtype.char not in "fd":
        return None
    u, v = x.inputs
    for i in (u, v):
        if type(i) is not Equation or len(i.shape) != 2 or i.dtype != x.dtype:
            return None
    return (u, v) if u.shape[0] == v.shape[0] and min(x.shape) > 1 else None


def _over_examples(e: Equation, x: Equation) -> Equation | None:
    """The sum over examples, of which each may have a weight."""
    product, weight = x, None
    if x.primitive is ew.multiply:
        product, weight = x.inputs if _vectors(x.inputs[0]) else x.inputs[::-1]
    given = _vectors(product)
    if given is None:
        return None
    u, v = given
    if weight is not None:
        kind = (*u.shape[:1], 1, 1)
        if type(weight) is not Equation or weight.shape != kind or weight.dtype != e.dtype:
            return None
        column = between(structural.reshape, e, (weight,), kind[:2], e.dtype, shape=kind[:2], order="C")
        small = u if u.shape[1] <= v.shape[1] else v
        weighted = between(ew.multiply, e, (small, column), small.shape, e.dtype)
        u, v = (weighted, v) if small is u else (u, weighted)
    return applied(contract.matmul, e, between(structural.transpose, e, (u,), u.shape[::-1], e.dtype, axes=(1, 0)), v)


def _squares(e: Equation, x: Equation) -> Equation | None:
    """The sum of the squares of each example.

    It is Σ v² (Σ u²) and Σ u² (Σ v²), equal but where a factor is infinite and one of the other is zero: there one of
    the two is nan, as the sum of the products is, and so is the larger of the two.
    """
    p, inner = x.primitive, x.inputs[0] if x.inputs else None
    if p is not ew.square and not (p is ew.multiply and inner is x.inputs[1]):
        return None
    if type(inner) is Equation and inner.primitive is structural.reshape and inner.params.get("order", "C") == "C":
        inner = inner.inputs[0] if inner.shape[0] == x.shape[0] else None
    given = _vectors(inner)
    if given is None or given[0].shape[0] != x.shape[0]:
        return None
    squares = [between(ew.square, e, (i,), i.shape, e.dtype) for i in given]
    totals = [_total(e, s, True) for s in squares]
    both = [
        _total(e, between(ew.multiply, e, (s, other), s.shape, e.dtype), False)
        for s, other in zip(squares, totals[::-1], strict=True)
    ]
    if e.shape == both[0].shape:
        return applied(ew.maximum, e, *both)
    found = between(ew.maximum, e, tuple(both), both[0].shape, e.dtype)
    return applied(structural.reshape, e, found, shape=e.shape, order="C")


def _total(e: Equation, x: Equation, keepdims: bool) -> Equation:
    """The sums of rows."""
    params: Any = {"axis": (1,), "keepdims": True} if keepdims else {"axis": (1,)}
    return between(reduce.reduce_sum, e, (x,), (x.shape[0], 1) if keepdims else x.shape[:1], x.dtype, **params)


__all__ = ["outer_products"]
