"""Workloads where overhead is what costs: scalars, ten dimensions, small steps of an ODE, small matrices."""

from __future__ import annotations

import numpy as np

from cases.jit_libraries import Workload
from cases.rnn import gradient_by_hand as rnn_by_hand


def _chain(xp, x):
    for _ in range(10):
        x = xp.sin(x) * 1.5 + 0.5
    return x


def _chain_by_hand(x):
    x = x[()]

    def f():
        y, slope = x, 1.0
        for _ in range(10):
            slope *= 1.5 * np.cos(y)
            y = np.sin(y) * 1.5 + 0.5
        return y, [slope]

    return f


def _rosenbrock(xp, x):
    a, b = x[:-1], x[1:]
    return xp.sum(100 * (b - a * a) ** 2 + (1 - a) ** 2)


def _rosenbrock_by_hand(x):
    def f():
        a = x[:-1]
        d = x[1:] - a * a
        e = 1 - a
        g = np.zeros_like(x)
        g[1:] = 200 * d
        g[:-1] -= 400 * d * a + 2 * e
        return 100 * np.dot(d, d) + np.dot(e, e), [g]

    return f


STEPS, DT = 50, 0.01


def _lorenz(xp, s):
    x, y, z = s[0], s[1], s[2]
    return xp.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - (8 / 3) * z])


def _rk4(xp, s):
    k1 = _lorenz(xp, s)
    k2 = _lorenz(xp, s + 0.5 * DT * k1)
    k3 = _lorenz(xp, s + 0.5 * DT * k2)
    k4 = _lorenz(xp, s + DT * k3)
    return s + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def _unrolled(xp, s):
    for _ in range(STEPS):
        s = _rk4(xp, s)
    return xp.sum(s * s)


def _scanned(xp, s):
    s = xp.scan(lambda s: _rk4(xp, s), s, STEPS)
    return xp.sum(s * s)


def _lorenz_by_hand(s0):
    """With the state as one small vector, as one writes it with NumPy."""

    def field(s):
        x, y, z = s
        return np.array([10.0 * (y - x), x * (28.0 - z) - y, x * y - (8 / 3) * z])

    def pull(s, g):
        (x, y, z), (a, b, c) = s, g
        return np.array([-10.0 * a + (28.0 - z) * b + y * c, 10.0 * a - b + x * c, -x * b - (8 / 3) * c])

    def f():
        s, kept = s0, []
        for _ in range(STEPS):
            k1 = field(s)
            s2 = s + 0.5 * DT * k1
            k2 = field(s2)
            s3 = s + 0.5 * DT * k2
            k3 = field(s3)
            s4 = s + DT * k3
            k4 = field(s4)
            kept.append((s, s2, s3, s4))
            s = s + DT / 6 * (k1 + 2 * (k2 + k3) + k4)
        value, g = s @ s, 2 * s
        for s1, s2, s3, s4 in reversed(kept):
            g6 = DT / 6 * g
            h4 = pull(s4, g6)
            h3 = pull(s3, 2 * g6 + DT * h4)
            h2 = pull(s2, 2 * g6 + 0.5 * DT * h3)
            h1 = pull(s1, g6 + 0.5 * DT * h2)
            g = g + h1 + h2 + h3 + h4
        return value, [g]

    return f


def _rnn(xp, wx, wh, b, wo, xs, target):
    h = xp.tanh(xs[0] @ wx + b)
    for t in range(1, 100):
        h = xp.tanh(xs[t] @ wx + h @ wh + b)
    return xp.mean((h @ wo - target) ** 2)


def _rnn_arrays(rng):
    def weights(m, n):
        return rng.normal(size=(m, n)) / np.sqrt(m)

    return (
        weights(16, 32),
        weights(32, 32),
        np.zeros(32),
        weights(32, 1),
        rng.normal(size=(100, 8, 16)),
        rng.normal(size=(8, 1)),
    )


WORKLOADS = [
    Workload("chain", lambda rng: (np.asarray(rng.normal()),), _chain, _chain_by_hand),
    Workload("rosenbrock", lambda rng: (rng.normal(size=10),), _rosenbrock, _rosenbrock_by_hand),
    Workload("lorenz", lambda rng: (rng.normal(size=3),), _unrolled, _lorenz_by_hand, skip=("jax.jit",)),
    Workload("lorenz-scan", lambda rng: (rng.normal(size=3),), _scanned, _lorenz_by_hand),
    Workload("rnn", _rnn_arrays, _rnn, rnn_by_hand, count=4),
]
