"""In-place accumulation never writes where somebody else can see it."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.primitive import joint, primitive, registry

N = 10_000  # 80 kB: large enough for cotangents to be added up in place
X = np.linspace(-1.0, 1.0, N)


@pytest.mark.parametrize(
    "f, derivative",
    [
        (lambda x: x + x + x + x, lambda x: 4 + 0 * x),
        (lambda x: x * x + x, lambda x: 2 * x + 1),
        (lambda x: x.reshape(100, 100).T.ravel() + x[::-1] + x, lambda x: 3 + 0 * x),
        (lambda x: fnp.sin(x) * x + fnp.sin(x), lambda x: np.cos(x) * x + np.sin(x) + np.cos(x)),
        (lambda x: fnp.where(x > 0, x, 2 * x) + x, lambda x: np.where(x > 0, 2, 3)),
        (lambda x: x[:5000].sum() + x * x[0] + x, lambda x: None),
    ],
)
def test_sums_of_large_cotangents(f, derivative):
    y, pullback = fg.vjp(f, X)
    w = np.cos(np.arange(float(y.size)))
    kept = [np.array(r) for r in fg.tree.leaves(pullback)]
    first = np.array(pullback(w)[0])
    second = np.array(pullback(w)[0])
    np.testing.assert_array_equal(first, second)
    for before, after in zip(kept, fg.tree.leaves(pullback), strict=True):
        np.testing.assert_array_equal(before, after, err_msg="a residual was written to")
    np.testing.assert_array_equal(w, np.cos(np.arange(float(y.size))))
    t = np.sin(np.arange(N))
    np.testing.assert_allclose(first @ t, np.asarray(fg.jvp(f, (X,), (t,))[1]) @ w, rtol=1e-9)


@pytest.mark.parametrize("kind", ["the cotangent itself", "twice the same", "a residual", "a view"])
def test_rules_that_give_what_is_not_theirs(kind):
    """Rules may return the very arrays that they were given; adding to those in place would corrupt others."""

    def rule(g, x, y):
        if kind == "the cotangent itself":
            return g, g
        if kind == "twice the same":
            h = 1.0 * g
            return h, h
        if kind == "a residual":
            return x, y
        h = np.stack([g, g])
        return h[0], h[1]

    p = primitive(np.add, name="borrowed", operands="x y", vjp=joint(rule), jvp=joint(lambda t: t[0]), samples=None)
    try:

        def f(x, y):
            s, c = x + 0.0, y + 0.0
            return s * 1.0 + c * 2.0 + p(s, c)  # p is walked first, or last: both orders below

        def h(x, y):
            s, c = x + 0.0, y + 0.0
            q = p(s, c)
            return q + s * 1.0 + c * 2.0

        for function in (f, h):
            _, pullback = fg.vjp(function, X, 2 * X)
            w = np.ones(N)
            for _ in range(2):
                x_bar, y_bar = pullback(w)
                own = (X, 2 * X) if kind == "a residual" else (w, w)
                np.testing.assert_allclose(x_bar, own[0] + 1.0)
                np.testing.assert_allclose(y_bar, own[1] + 2.0)
    finally:
        del registry["borrowed"]
