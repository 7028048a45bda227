"""The negative log likelihood: what is picked from scores by the number of the true class, weighted and reduced.

It and its transpose have the parameter `reduction`, "none", "mean" or "sum". The weights are those of the targets, zero
for one that is left out; the number 1.0 stands for no weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, NotDifferentiable, Primitive, Sample, Zero, linear
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of


def _at(target: Any) -> tuple:
    """The index of the elements of (n, classes, ...) that targets of (n, ...) name."""
    if target.ndim == 1:
        return np.arange(target.shape[0]), target
    first, *others = np.ogrid[tuple([slice(n) for n in target.shape])]
    return (first, target, *others)


def _mean(total: Any, w: Any, target: Any) -> Any:
    return total / (math.prod(target.shape) if type(w) is float else np.add.reduce(w, None))


def _nll_loss(x: Any, target: Any, w: Any, *, reduction: str) -> Any:
    kind = x.dtype
    picked = x[target] if x.ndim == 1 else x[_at(target)]
    if type(w) is not float:
        picked = picked * w
    if reduction == "none":
        return np.subtract(0, picked).astype(kind, copy=False)  # zero, not minus zero, for one that is left out
    total = np.add.reduce(picked, None, np.float32 if kind.itemsize == 2 else None)
    return np.negative(total if reduction == "sum" else _mean(total, w, target)).astype(kind, copy=False)


def _nll_loss_backward(g: Any, target: Any, w: Any, *, shape: tuple[int, ...], reduction: str) -> np.ndarray:
    out = np.zeros(shape, dtype_of(g))
    if out.size:
        if reduction == "mean":
            g = _mean(g, w, target)
        # a target that is left out has no gradient, even if the sum of all weights is zero
        value = np.negative(g) if type(w) is float else np.where(w == 0, 0, -g * w)
        out[target if len(shape) == 1 else _at(target)] = value
    return out


# Batches: the examples are laid one behind the other, and each is reduced by itself.


def _merged(size: int, target: Any, w: Any) -> tuple[Any, Any]:
    """The targets and weights of all examples, one example behind the other."""
    shape = target.shape[1:]
    merged = (size * shape[0], *shape[1:]) if shape else (size,)
    return target.reshape(merged), w if type(w) is float else w.reshape(merged)


def _totals(size: int, target: Any, w: Any) -> Any:
    """The sum of the weights of each example."""
    n = math.prod(target.shape[1:])
    return n if type(w) is float else np.sum(w.reshape((size, n)), axis=1)


def _operands(args: tuple, mask: tuple[bool, ...], size: int) -> Any:
    first, target = batching.everywhere(args[:2], mask[:2], size)
    (w,) = args[2:] if type(args[2]) is float else batching.everywhere(args[2:], mask[2:], size)
    return first, target, w


def _nll_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (x, target, w), reduction = _operands(args, mask, size), params["reduction"]
    targets, weights = _merged(size, target, w)
    scores = x.reshape((targets.shape[0], *x.shape[1 if x.ndim == 2 else 2 :]))
    out = primitive(scores, targets, weights, reduction="none").reshape(target.shape)
    if reduction == "none":
        return out
    out = np.sum(out.reshape((size, math.prod(target.shape[1:]))), axis=1)
    return out if reduction == "sum" else (out / _totals(size, target, w)).astype(out.dtype)


def _backward_batch(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    (g, target, w), reduction, shape = _operands(args, mask, size), params["reduction"], params["shape"]
    targets, weights = _merged(size, target, w)
    if reduction == "mean":
        g = (g / _totals(size, target, w)).astype(g.dtype)
    if reduction != "none":
        g = np.broadcast_to(g.reshape((size,) + (1,) * (target.ndim - 1)), target.shape)
    merged = (targets.shape[0], *shape[0 if len(shape) == 1 else 1 :])
    out = primitive(g.reshape(targets.shape), targets, weights, shape=merged, reduction="none")
    return out.reshape((size, *shape))


# Declarations.


def _shape(x: Any, target: Any, w: Any, *, reduction: str) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape_of(target) if reduction == "none" else (), dtype_of(x))


def _backward_shape(g: Any, target: Any, w: Any, *, shape: Any, reduction: str) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(shape, dtype_of(g))


_CASES: tuple[tuple[tuple[int, ...], Any, Any, str], ...] = (  # weights are integers: nobody differentiates by them
    ((2, 3), np.array([2, 0]), 1.0, "mean"),
    ((2, 3), np.array([2, 0]), np.array([2, 0]), "none"),
    ((3, 3), np.array([2, 1, 0]), np.array([1, 0, 4]), "mean"),
    ((2, 3, 2), np.array([[2, 0], [1, 1]]), 1.0, "sum"),
    ((1, 3, 2, 2), np.array([[[2, 0], [1, 1]]]), np.array([[[1, 2], [4, 4]]]), "mean"),
    ((3,), np.array(2), 1.0, "none"),
    ((3,), np.array(2), np.array(3), "mean"),
)


def _samples(draw: Draw) -> list[Sample]:
    return [Sample(draw(*shape), target, w, reduction=r) for shape, target, w, r in _CASES]


def _backward_samples(draw: Draw) -> list[Sample]:
    return [
        Sample(draw(*(target.shape if r == "none" else ())), target, w, shape=shape, reduction=r)
        for shape, target, w, r in _CASES
    ]


_FIXED = Zero("integer operand"), NotDifferentiable("torch takes weights as constants")

nll_loss: Primitive = linear(
    _nll_loss,
    operands="x target w",
    transpose=(
        lambda g, target, w, x_shape, reduction: nll_loss_backward(g, target, w, shape=x_shape, reduction=reduction),
        *_FIXED,
    ),
    shape=_shape,
    batch=_nll_batch,
    samples=_samples,
    dtypes="fd",
)

nll_loss_backward: Primitive = linear(
    _nll_loss_backward,
    operands="g target w",
    transpose=(lambda g, target, w, reduction: nll_loss(g, target, w, reduction=reduction), *_FIXED),
    shape=_backward_shape,
    batch=_backward_batch,
    samples=_backward_samples,
    dtypes="fd",
)
