"""A layer of gated recurrent units, in one direction.

r, z = sigmoid(...)               of what inputs and hidden state bring, in the order r z n
n = tanh(inputs + r * hidden)     where the bias of the hidden state is multiplied by r, too
h = (h - n) * z + n
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops.logistic import sigmoid
from funcgrad.torch.primitives.recurrence import (
    entering,
    flat,
    layer_formula,
    parameters,
    places,
    sigmoid_in_place,
    state_cotangent,
    weight_gradients,
)
from funcgrad.torch.tensor.fused import Fused


def _step(entering: Any, again: Any, state: list) -> list:
    m = state[0].shape[-1]
    r, z = (sigmoid(entering[:, k * m : (k + 1) * m] + again[:, k * m : (k + 1) * m]) for k in (0, 1))
    n = np.tanh(entering[:, 2 * m :] + r * again[:, 2 * m :])
    return [(state[0] - n) * z + n]


def _forward(x: Any, h: Any, *operands: Any, sizes: tuple, reverse: bool, biased: bool) -> tuple:
    w_ih, w_hh, b_ih, b_hh, _ = parameters(operands, biased)
    rows, h = flat(x), np.array(h, order="C")
    m = h.shape[1]
    gates = entering(rows, w_ih, b_ih)
    out, before, inner = (np.empty((len(gates), m), gates.dtype) for _ in range(3))
    across, steps = np.ascontiguousarray(w_hh.T), places(sizes, reverse)
    for start, stop in steps:
        hidden, z = h[: stop - start], gates[start:stop]
        before[start:stop] = hidden
        again = hidden @ across
        if b_hh is not None:
            again += b_hh
        opening, new = z[:, : 2 * m], z[:, 2 * m :]
        opening += again[:, : 2 * m]
        sigmoid_in_place(opening)
        inner[start:stop] = again[:, 2 * m :]
        new += z[:, :m] * again[:, 2 * m :]
        np.tanh(new, out=new)
        hidden -= new
        hidden *= z[:, m : 2 * m]
        hidden += new
        out[start:stop] = hidden
    return (out.reshape(*x.shape[:-1], m), h), (x, rows, w_ih, w_hh, biased, gates, before, inner, steps, h)


def _backward(g: Any, kept: tuple, wanted: tuple[int, ...]) -> list:
    x, rows, w_ih, w_hh, biased, gates, before, inner, steps, h = kept
    count, m = before.shape
    r, z, n = (gates[:, k * m : (k + 1) * m] for k in range(3))
    to_new = (1 - z) * (1 - n * n)  # what the cotangent of the new state is multiplied by, for each gate
    slopes = np.stack([to_new * inner * r * (1 - r), (before - n) * z * (1 - z), to_new], axis=1)
    again = slopes.copy()
    again[:, 2] *= r
    dz, dzh = np.empty_like(slopes), np.empty_like(slopes)
    dy, dh = (None if g[0] is None else flat(g[0])), state_cotangent(g[1], h)
    for start, stop in reversed(steps):
        hidden, d = dh[: stop - start], dzh[start:stop]
        if dy is not None:
            hidden += dy[start:stop]
        np.multiply(slopes[start:stop], hidden[:, None], out=dz[start:stop])
        np.multiply(again[start:stop], hidden[:, None], out=d)
        hidden *= z[start:stop]
        hidden += d.reshape(len(d), 3 * m) @ w_hh
    dx, found = weight_gradients(
        rows, before, w_ih, dz.reshape(count, 3 * m), dzh.reshape(count, 3 * m), x.shape, biased
    )
    return [dx, dh, *found]


gru_layer = Fused(layer_formula(_step, 1), _forward, _backward, multiple=True)
