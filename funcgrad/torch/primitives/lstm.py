"""A layer of long short-term memory, in one direction.

i, f, o = sigmoid(...), g = tanh(...)    in the order i f g o, of x @ w_ih.T + b_ih + h @ w_hh.T + b_hh
c = f * c + i * g
h = o * tanh(c)                          times w_hr.T, if there is a projection
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
    z, n = entering + again, state[1].shape[-1]
    i, f, o = (sigmoid(z[:, k * n : (k + 1) * n]) for k in (0, 1, 3))
    c = f * state[1] + i * np.tanh(z[:, 2 * n : 3 * n])
    return [o * np.tanh(c), c]


def _forward(x: Any, h: Any, c: Any, *operands: Any, sizes: tuple, reverse: bool, biased: bool) -> tuple:
    w_ih, w_hh, b_ih, b_hh, w_hr = parameters(operands, biased)
    rows, h, c = flat(x), np.array(h, order="C"), np.array(c, order="C")
    m, p = c.shape[1], h.shape[1]
    gates = entering(rows, w_ih, b_ih, b_hh)
    count, kind = len(gates), gates.dtype
    out, before, cells, squashed = (np.empty((count, k), kind) for k in (p, p, m, m))
    unprojected = out if w_hr is None else np.empty((count, m), kind)
    across, steps = np.ascontiguousarray(w_hh.T), places(sizes, reverse)
    for start, stop in steps:
        hidden, cell, z = h[: stop - start], c[: stop - start], gates[start:stop]
        before[start:stop], cells[start:stop] = hidden, cell
        z += hidden @ across
        g = np.tanh(z[:, 2 * m : 3 * m])
        sigmoid_in_place(z)
        z[:, 2 * m : 3 * m] = g
        cell *= z[:, m : 2 * m]
        g *= z[:, :m]
        cell += g
        y = np.multiply(z[:, 3 * m :], np.tanh(cell, out=squashed[start:stop]), out=unprojected[start:stop])
        if w_hr is not None:
            y = np.matmul(y, w_hr.T, out=out[start:stop])
        hidden[...] = y
    return (out.reshape(*x.shape[:-1], p), h, c), (
        x, rows, w_ih, w_hh, w_hr, biased, gates, before, cells, squashed, unprojected, steps, h, c
    )  # fmt: skip


def _backward(g: Any, kept: tuple, wanted: tuple[int, ...]) -> list:
    x, rows, w_ih, w_hh, w_hr, biased, gates, before, cells, squashed, unprojected, steps, h, c = kept
    count, m = cells.shape
    i, f, u, o = (gates[:, k * m : (k + 1) * m] for k in range(4))
    slopes = gates * (1 - gates)  # of the sigmoids; what each gate is multiplied by follows
    slopes[:, 2 * m : 3 * m] = 1 - u * u
    slopes[:, :m] *= u
    slopes[:, m : 2 * m] *= cells
    slopes[:, 2 * m : 3 * m] *= i
    slopes[:, 3 * m :] *= squashed
    into_cell = o * (1 - squashed * squashed)
    slopes, dz = slopes.reshape(count, 4, m), np.empty((count, 4, m), gates.dtype)
    dy, dh, dc = (None if g[0] is None else flat(g[0])), state_cotangent(g[1], h), state_cotangent(g[2], c)
    projected = None if w_hr is None else np.empty(before.shape, gates.dtype)
    for start, stop in reversed(steps):
        hidden, cell, d = dh[: stop - start], dc[: stop - start], dz[start:stop]
        if dy is not None:
            hidden += dy[start:stop]
        outer = hidden
        if projected is not None:
            projected[start:stop] = hidden
            outer = hidden @ w_hr
        cell += outer * into_cell[start:stop]
        np.multiply(slopes[start:stop, :3], cell[:, None], out=d[:, :3])
        np.multiply(slopes[start:stop, 3], outer, out=d[:, 3])
        cell *= f[start:stop]
        np.matmul(d.reshape(len(d), 4 * m), w_hh, out=hidden)
    dz = dz.reshape(count, 4 * m)
    dx, found = weight_gradients(rows, before, w_ih, dz, dz, x.shape, biased)
    if projected is not None:
        found.append(projected.T @ unprojected)
    return [dx, dh, dc, *found]


lstm_layer = Fused(layer_formula(_step, 2), _forward, _backward, multiple=True)


# One step, up to what is left to be recorded by itself: the new cell state, and the output gate.


def _cell(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, *biases: Any) -> tuple:
    z, n = x @ w_ih.T + h @ w_hh.T, c.shape[-1]
    for b in biases:
        z = z + b
    i, f, o = (sigmoid(z[:, k * n : (k + 1) * n]) for k in (0, 1, 3))
    return f * c + i * np.tanh(z[:, 2 * n : 3 * n]), o


def _cell_forward(x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, *biases: Any) -> tuple:
    z, m = entering(x, w_ih, *biases), c.shape[1]
    z += h @ w_hh.T
    g = np.tanh(z[:, 2 * m : 3 * m])
    sigmoid_in_place(z)
    z[:, 2 * m : 3 * m] = g
    g *= z[:, :m]
    g += z[:, m : 2 * m] * c
    return (g, z[:, 3 * m :].copy()), (x, h, c, w_ih, w_hh, len(biases), z)


def _cell_backward(g: Any, kept: tuple, wanted: tuple[int, ...]) -> list:
    x, h, c, w_ih, w_hh, biases, z = kept
    m = c.shape[1]
    dz = z * (1 - z)
    new = z[:, 2 * m : 3 * m]
    if g[1] is None:
        dz[:, 3 * m :] = 0
    else:
        dz[:, 3 * m :] *= g[1]
    if g[0] is None:
        dz[:, : 3 * m] = 0
        dc = np.zeros_like(c)
    else:
        to_gate = g[0] * z[:, :m]
        dz[:, :m] *= g[0] * new
        dz[:, m : 2 * m] *= g[0] * c
        dz[:, 2 * m : 3 * m] = to_gate - to_gate * new * new
        dc = g[0] * z[:, m : 2 * m]
    dx, dh = (dz @ w if k in wanted else None for k, w in enumerate((w_ih, w_hh)))
    dw = [dz.T @ a if k in wanted else None for k, a in ((3, x), (4, h))]
    return [dx, dh, dc, *dw, *[dz.sum(0) for _ in range(biases)]]


lstm_cell = Fused(_cell, _cell_forward, _cell_backward, multiple=True)
