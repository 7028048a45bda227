"""Losses that compare two arrays element by element, and the reduction: one primitive each.

All have the parameters `axis`, the axes that are reduced, and `mean`, whether by their mean or by their sum. Slopes are
PyTorch's: each is a function of what it is multiplied with, the operands and the parameters of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core import batching
from funcgrad.core.primitive import Draw, Primitive, Sample, primitive
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops.logistic import sigmoid
from funcgrad.ops.reduce import add_reduce, count, reduce_sum, reduced_shape

_SINGLE = np.dtype(np.float32)


def reduced(x: Any, axis: tuple[int, ...], mean: bool) -> Any:
    """The sum or mean over axes; of numbers of two bytes it is computed in single precision."""
    if not axis:
        return x
    kind = x.dtype
    out = reduce_sum(x.astype(_SINGLE), axis=axis) if kind.itemsize == 2 else reduce_sum(x, axis=axis)
    if mean:
        out = out / count(x.shape, axis)
    return out.astype(kind) if kind.itemsize == 2 else out


def spread(g: Any, shape: tuple[int, ...], axis: tuple[int, ...], mean: bool) -> Any:
    """The cotangent of what `reduced` takes, of this shape or one that broadcasts to it."""
    if not axis:
        return g
    if mean:
        g = g / count(shape, axis)
    return np.expand_dims(g, axis) if g.ndim else g


def _own(params: dict) -> tuple[tuple[int, ...], bool, dict]:
    rest = dict(params)
    return rest.pop("axis"), rest.pop("mean"), rest


_ARITIES: dict[int, Callable] = {  # plans know by the names of a rule's parameters what to keep
    2: lambda rule: lambda g, x, y, params: rule(g, params, x, y),
    3: lambda rule: lambda g, x, y, w, params: rule(g, params, x, y, w),
    4: lambda rule: lambda g, x, y, w, v, params: rule(g, params, x, y, w, v),
}


def _gradient(slope: Callable) -> Callable:
    """The gradient of one operand, as a function of g, the operands and all parameters."""

    def gradient(g: Any, *xs: Any, axis: tuple[int, ...], mean: bool, **own: Any) -> Any:
        return slope(spread(g, xs[0].shape, axis, mean), *xs, **own)

    return gradient


gradients: dict[str, list[Callable]] = {}
"""For each of these losses, by name, the gradients of its operands."""


def _forward(slope: Callable) -> Callable:
    """The forward rule of one operand."""

    def push(t: Any, params: dict, *xs: Any) -> Any:
        axis, mean, own = _own(params)
        return reduced(slope(t, *xs, **own), axis, mean)

    return push


def _shape(*operands: Any, axis: tuple[int, ...], mean: bool, **params: Any) -> ShapeDtypeStruct:
    full = np.broadcast_shapes(*map(shape_of, operands))
    return ShapeDtypeStruct(reduced_shape(full, axis), dtype_of(operands[0]))


_SHIFTED = batching.shifted("axis")


def _batched(primitive: Any, size: int, args: tuple, mask: tuple[bool, ...], params: dict) -> Any:
    """The batching rule: operands of fewer dimensions, weights, broadcast example by example."""
    found = [
        a if type(a) is float else batching.everywhere((a,), (m,), size)[0] for a, m in zip(args, mask, strict=True)
    ]
    every = tuple([type(a) is not float for a in found])
    return _SHIFTED(primitive, size, batching.aligned(tuple(found), every), (True,) * len(found), params)


def _pointwise(
    value: Callable, *slopes: Callable, low: float = -2.0, high: float = 2.0, examples: tuple[dict, ...] = ({},)
) -> Primitive:
    """Declare such a loss.

    Arguments:
        value: the loss, elementwise.
        slopes: for each operand the derivative times g, as a function of g, the operands and the parameters.
        low, high: where the samples of the operands lie.
        examples: the parameters of its own that samples have.
    """
    operands = ("x", "y", "w", "v")[: len(slopes)]

    def impl(*xs: Any, axis: tuple[int, ...], mean: bool, **own: Any) -> Any:
        out = value(*xs, **own)
        if not axis:
            return out
        if out.dtype.itemsize == 2:
            return reduced(out, axis, mean)
        total = add_reduce(out, axis)
        return total / count(out.shape, axis) if mean else total

    def samples(draw: Draw) -> list[Sample]:
        shapes: list[tuple[tuple[int, ...], tuple[int, ...], bool]] = [
            ((2, 3), (0, 1), True), ((2, 3), (), False), ((3,), (0,), False), ((), (), True), ((2, 3), (1,), True),
        ]  # fmt: skip
        return [
            Sample(*[draw(*s, low=low, high=high) for _ in operands], axis=a, mean=m, **own)
            for own in examples
            for s, a, m in shapes
        ]

    named = _ARITIES[len(slopes)]
    name = value.__name__.lstrip("_")
    backward = gradients[name] = [_gradient(s) for s in slopes]
    return primitive(
        impl,
        name=name,
        operands=operands,
        shape=_shape,
        vjp=[named(lambda g, params, *xs, f=f: f(g, *xs, **params)) for f in backward],
        jvp=[named(_forward(s)) for s in slopes],
        batch=_batched,
        samples=samples,
        dtypes="fd",
    )


# Losses of the difference.


def _of_difference(value: Callable, slope: Callable, **params: Any) -> Primitive:
    """A loss of x - y: `slope` is its derivative by that, as a function of (g, difference)."""

    def loss(x: Any, y: Any, **own: Any) -> Any:
        return value(x - y, **own)

    loss.__name__ = value.__name__
    return _pointwise(
        loss,
        lambda g, x, y, **own: slope(g, x - y, **own),
        lambda g, x, y, **own: slope(g, y - x, **own),
        **params,
    )


def _mse_loss(d: Any) -> Any:
    return d * d


def _smooth_l1_loss(d: Any, beta: float) -> Any:
    z = np.abs(d)
    return np.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta)


def _smooth_l1_slope(g: Any, d: Any, beta: float) -> Any:
    return np.where(d <= -beta, -g, np.where(d >= beta, g, g * d / beta))


def _huber_loss(d: Any, delta: float) -> Any:
    z = np.abs(d)
    return np.where(z <= delta, 0.5 * z * z, delta * (z - 0.5 * delta))


def _huber_slope(g: Any, d: Any, delta: float) -> Any:
    return np.where(d <= -delta, -delta * g, np.where(d >= delta, delta * g, g * d))


mse_loss = _of_difference(_mse_loss, lambda g, d: (2 * g) * d)
smooth_l1_loss = _of_difference(_smooth_l1_loss, _smooth_l1_slope, examples=({"beta": 9.0}, {"beta": 1e-3}))
huber_loss = _of_difference(_huber_loss, _huber_slope, examples=({"delta": 9.0}, {"delta": 1e-3}))


# Losses of a score and a target.


def _soft_margin_loss(x: Any, y: Any) -> Any:
    return np.log1p(np.exp(-y * x))


def _soft_margin_slope(g: Any, x: Any, y: Any) -> Any:
    z = np.exp(-y * x)
    return -y * g * z / (1 + z)


soft_margin_loss = _pointwise(_soft_margin_loss, _soft_margin_slope, lambda g, x, y: _soft_margin_slope(g, y, x))


def _weighted(x: Any, w: Any) -> Any:
    return x if type(w) is float else x * w  # 1.0 stands for no weight


def _binary_cross_entropy(x: Any, y: Any, w: Any) -> Any:
    """The logarithms are bounded from below by -100."""
    return _weighted((y - 1) * np.maximum(np.log1p(-x), -100) - y * np.maximum(np.log(x), -100), w)


def _binary_cross_entropy_slope(g: Any, x: Any, y: Any, w: Any) -> Any:
    return _weighted(g * (x - y) / np.maximum((1 - x) * x, 1e-12), w)


def _binary_cross_entropy_by_target(g: Any, x: Any, y: Any, w: Any) -> Any:
    return _weighted(g * -np.log(x / (1 - x)), w)


binary_cross_entropy = _pointwise(
    _binary_cross_entropy,
    _binary_cross_entropy_slope,
    _binary_cross_entropy_by_target,
    lambda g, x, y, w: g * _binary_cross_entropy(x, y, 1.0),
    low=0.1,
    high=0.9,
)


def _softplus(x: Any) -> Any:
    """log(1 + exp(x)), which does not overflow."""
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _binary_cross_entropy_with_logits(x: Any, y: Any, w: Any, v: Any) -> Any:
    factor = 1 if type(v) is float else (v - 1) * y + 1
    return _weighted((1 - y) * x + factor * _softplus(-x), w)


def _with_logits_slope(g: Any, x: Any, y: Any, w: Any, v: Any) -> Any:
    if type(v) is float:
        return _weighted((sigmoid(x) - y) * g, w)
    t = v * y
    return _weighted(((t + 1 - y) * sigmoid(x) - t) * g, w)


def _with_logits_by_target(g: Any, x: Any, y: Any, w: Any, v: Any) -> Any:
    return _weighted(g * (-x if type(v) is float else _softplus(-x) * v - _softplus(x)), w)


binary_cross_entropy_with_logits = _pointwise(
    _binary_cross_entropy_with_logits,
    _with_logits_slope,
    _with_logits_by_target,
    lambda g, x, y, w, v: g * _binary_cross_entropy_with_logits(x, y, 1.0, v),
    lambda g, x, y, w, v: _weighted(g * y * _softplus(-x), w),
)
