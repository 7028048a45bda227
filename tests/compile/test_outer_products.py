"""Sums over outer products without them: values, infinities and zeros, and what stays as it is."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified
from funcgrad.numpy import sum as total

RNG = np.random.default_rng(0)
U, V, W = RNG.normal(size=(6, 3)), RNG.normal(size=(6, 4)), RNG.normal(size=6)


def outer(u, v):
    return fg.vmap(fnp.outer)(u, v)


GONE = {
    "sum": lambda u, v, w: total(outer(u, v), axis=0),
    "weighted": lambda u, v, w: total(outer(u, v) * w[:, None, None], axis=0),
    "weights first": lambda u, v, w: total(w[:, None, None] * outer(v, u), axis=0),
    "squares": lambda u, v, w: total(outer(u, v) ** 2, axis=(1, 2)),
    "squares of rows": lambda u, v, w: total(outer(u, v).reshape(6, 12) ** 2, axis=1, keepdims=True),
}
STAYS = {
    "over others": lambda u, v, w: total(outer(u, v) ** 2, axis=(0, 2)),
    "other weights": lambda u, v, w: total(outer(u, v) * u[:, :, None], axis=0),
    "rows of others": lambda u, v, w: total(outer(u, v).reshape(3, 24) ** 2, axis=1),
    "axis kept": lambda u, v, w: total(outer(u, v), axis=0, keepdims=True),
    "one column": lambda u, v, w: total(outer(u, v[:, :1]) * w[:, None, None], axis=0),
}


@pytest.mark.parametrize("name", [*GONE, *STAYS])
def test_values(name):
    f = {**GONE, **STAYS}[name]
    tape = simplified(inline(fg.make_tape(f)(U, V, W)))
    assert name in STAYS or "outer_product" not in [e.primitive.name for e in tape.equations]
    np.testing.assert_allclose(fg.jit(f)(U, V, W), f(U, V, W), rtol=1e-13)


@pytest.mark.parametrize("name", GONE)
def test_infinities_and_zeros(name):
    f = GONE[name]
    u, v, w = U.copy(), V.copy(), np.abs(W)
    u[0, 0], v[0, 1] = np.inf, 0.0
    u[1, 2], v[1, 3] = 0.0, -np.inf
    u[2, 1], w[3], v[3, 0], v[4] = np.inf, np.inf, 0.0, np.nan
    for rows in [slice(None), *range(6)]:  # all, and one example that is not finite
        one = [x.copy() for x in (U, V, np.abs(W))]
        for x, special in zip(one, (u, v, w), strict=True):
            x[rows] = special[rows]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            np.testing.assert_allclose(fg.jit(f)(*one), f(*one), rtol=1e-13)


def test_gradients_that_are_bounded_one_by_one():
    def loss(p, x, y):
        return total((fnp.tanh(x @ p[0] + p[1]) @ p[2] - y) ** 2)

    def bounded(p, x, y):
        g = fg.vmap(fg.grad(loss), (None, 0, 0))(p, x, y)
        norm = fnp.sqrt(sum(total(q.reshape(len(q), -1) ** 2, axis=1) for q in g))
        s = fnp.minimum(1.0, 1.0 / norm)
        return [fnp.mean(q * s.reshape(-1, *[1] * (q.ndim - 1)), axis=0) for q in g]

    p = [RNG.normal(size=(5, 8)), RNG.normal(size=8), RNG.normal(size=(8, 2))]
    x, y = RNG.normal(size=(7, 5)), RNG.normal(size=(7, 2))
    step = fg.jit(bounded, backend="numpy")
    gradients = [fg.grad(loss)(p, a, b) for a, b in zip(x, y, strict=True)]
    scales = [min(1, 1 / np.sqrt(sum(np.sum(np.square(q)) for q in g))) for g in gradients]
    for k, found in enumerate(step(p, x, y)):
        expected = np.mean([s * np.asarray(g[k]) for s, g in zip(scales, gradients, strict=True)], axis=0)
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert "outer_product" not in step.source(p, x, y)
