"""Loops of numbers in machine code: the values of Python's loops, and nothing is lost where they give up."""

import gc
import sys

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.native.llvm import missing

pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


def native(f, *args):
    """A compiled function, of which a loop is machine code."""
    jitted = fg.jit(f, backend="native")
    assert "br label %loop" in jitted.source(*args)
    return jitted


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("shape", [(), (2,), (2, 2)])
def test_a_scan_over_rows(shape, reverse):
    xs = np.linspace(0.1, 1.0, 7 * int(np.prod(shape))).reshape(7, *shape)
    c0, a = np.full(shape, 0.5), np.full(shape, 1.25)

    def f(a, c, xs):
        def step(c, x):
            c = fnp.sin(c) * a + x
            return c, (c * x, c > 1.0)

        return fg.lax.scan(step, c, xs, reverse=reverse)

    c, products, large = c0, np.empty_like(xs), np.empty(xs.shape, bool)
    for i in reversed(range(7)) if reverse else range(7):
        c = np.sin(c) * a + xs[i]
        products[i], large[i] = c * xs[i], c > 1.0
    last, (ys, flags) = native(f, a, c0, xs)(a, c0, xs)
    np.testing.assert_allclose(np.asarray(last), c, rtol=1e-14)
    np.testing.assert_allclose(np.asarray(ys), products, rtol=1e-14)
    np.testing.assert_array_equal(np.asarray(flags), large)


@pytest.mark.parametrize("length", [20, 4000])
def test_its_derivative(length):
    def f(x):
        return fg.lax.scan(lambda c, _: (c * x + fnp.cos(c), c), 1.0, None, length=length)[0]

    compiled = fg.jit(fg.grad(f), backend="native")
    assert ("br label %loop" in compiled.source(0.3)) == (length > 20)  # few steps are written one after the other
    gradient = compiled(0.3)
    e = 1e-6
    assert float(gradient) == pytest.approx(float(f(0.3 + e) - f(0.3 - e)) / (2 * e), rel=1e-7)


def test_a_while_loop_that_decides_and_chooses():
    def f(n, x):
        def step(state):
            k, x = state
            return k + 1, fg.lax.cond(x > 1.0, lambda x: x * 0.5, lambda x: x * 3.0 + 0.1, x)

        return fg.lax.while_loop(lambda state: fnp.logical_and(state[0] < n, state[1] < 2.5), step, (0, x))

    n, x, k = 37, 0.2, 0
    count, last = native(f, n, x)(n, x)
    while k < n and x < 2.5:
        k, x = k + 1, x * 0.5 if x > 1.0 else x * 3.0 + 0.1
    assert int(count) == k
    assert float(last) == pytest.approx(x, rel=1e-14)


def test_a_loop_without_a_step():
    f = native(lambda x: fg.lax.while_loop(lambda c: c < 0.0, lambda c: c + 1.0, x), 1.0)
    assert float(f(1.0)) == 1.0
    assert float(f(-2.5)) == 0.5


def test_what_is_not_finite_warns_and_leaks_nothing():
    def f(x, xs):
        return fg.lax.scan(lambda c, x: (c * x, c + x), x, xs)

    xs = np.full(1000, 10.0)
    run = native(f, 1.0, xs)
    with pytest.warns(RuntimeWarning, match="overflow"):
        last, ys = run(1.0, xs)
    assert float(last) == np.inf
    assert np.asarray(ys)[2] == 110.0
    gc.collect()
    before = sys.getallocatedblocks()
    with np.errstate(all="ignore"):
        for _ in range(200):
            run(1.0, xs)
    for _ in range(10_000):
        run(0.0, xs)
    gc.collect()
    assert sys.getallocatedblocks() - before < 1000


def test_a_loop_without_an_end_can_be_interrupted(interrupted):
    f = native(lambda x: fg.lax.while_loop(lambda c: c < 2.0, lambda c: c * 0.5, x), 3.0)
    f(3.0)
    with interrupted(0.05):
        f(1.0)
