"""A simple recurrent layer, in one direction: h = tanh(x @ w_ih.T + b_ih + h @ w_hh.T + b_hh), or relu of the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops.activation import relu
from funcgrad.torch.primitives.recurrence import (
    entering,
    flat,
    layer_formula,
    parameters,
    places,
    state_cotangent,
    weight_gradients,
)
from funcgrad.torch.tensor.fused import Fused


def _layer(formula: Callable, bend: Callable, slope: Callable) -> Fused:
    """The layer with this activation.

    Arguments:
        formula: the activation, in funcgrad's own operations.
        bend: the same of an array, written into the array of its second argument.
        slope: its derivative, from its value.
    """

    def step(entering: Any, again: Any, state: list) -> list:
        return [formula(entering + again)]

    def forward(x: Any, h: Any, *operands: Any, sizes: tuple, reverse: bool, biased: bool) -> tuple:
        w_ih, w_hh, b_ih, b_hh, _ = parameters(operands, biased)
        rows, h = flat(x), np.array(h, order="C")
        out = entering(rows, w_ih, b_ih, b_hh)
        before = np.empty_like(out)
        across, steps = np.ascontiguousarray(w_hh.T), places(sizes, reverse)
        for start, stop in steps:
            hidden, z = h[: stop - start], out[start:stop]
            before[start:stop] = hidden
            z += hidden @ across
            hidden[...] = bend(z, z)
        result = out.copy().reshape(*x.shape[:-1], h.shape[1])  # which may be written into
        return (result, h), (x, rows, w_ih, w_hh, biased, out, before, steps, h)

    def backward(g: Any, kept: tuple, wanted: tuple[int, ...]) -> list:
        x, rows, w_ih, w_hh, biased, out, before, steps, h = kept
        slopes = slope(out)
        dz = np.empty_like(out)
        dy, dh = (None if g[0] is None else flat(g[0])), state_cotangent(g[1], h)
        for start, stop in reversed(steps):
            hidden, d = dh[: stop - start], dz[start:stop]
            if dy is not None:
                hidden += dy[start:stop]
            np.multiply(slopes[start:stop], hidden, out=d)
            np.matmul(d, w_hh, out=hidden)
        dx, found = weight_gradients(rows, before, w_ih, dz, dz, x.shape, biased)
        return [dx, dh, *found]

    return Fused(layer_formula(step, 1), forward, backward, multiple=True)


tanh_layer = _layer(np.tanh, lambda x, out: np.tanh(x, out=out), lambda y: 1 - y * y)
relu_layer = _layer(relu, lambda x, out: np.maximum(x, 0, out=out), lambda y: (y > 0).astype(y.dtype))
