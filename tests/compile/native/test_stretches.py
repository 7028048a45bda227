"""Programs of small arrays of which NumPy carries out an operation: what lies between is machine code."""

import re
import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
import funcgrad.scipy.special
from funcgrad.compile.native.blas import blas
from funcgrad.compile.native.llvm import missing

pytestmark = pytest.mark.skipif(bool(missing()) or blas() is None, reason=missing() or "NumPy's BLAS is not found")
RNG = np.random.default_rng(11)


def in_stretches(f, *args, count=None):
    """A compiled function in which there are so many stretches; it gives what it gives with NumPy."""
    jitted = fg.jit(f, backend="native")
    called = re.findall(r"= (call_stretch\w*)\(", jitted.source(*args))
    assert len(called) == count if count is not None else called
    for found, expected in zip(*[fg.tree.leaves(g(*args)) for g in (jitted, f)], strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-9, atol=1e-12)
    return jitted


def spread(w, x):
    h = fnp.tanh(x @ w)
    s = fnp.linalg.svd(h, compute_uv=False)
    p = s / fnp.sum(s)
    return fnp.sum(h * h) - fnp.sum(p * fnp.log(p))


def inner(a, x):
    w = fnp.exp(a) / (1 + fnp.exp(a))
    y = fg.scipy.special.betainc(2.0, 3.0, 1 / (1 + fnp.exp(-fnp.cumsum(w * x))))
    return fnp.sum(fnp.log(y) * w - y * y)


def rotated(a, x):
    def step(c, row):
        h = fnp.tanh(a @ c + row)
        q, _ = fnp.linalg.qr(fnp.outer(h, h) + np.eye(4))
        c = q @ h
        return c / (1 + c @ c), fnp.sum(c) * 2

    return fnp.sum(fg.lax.scan(step, x[0], x)[1] ** 2)


def until(x):
    def step(state):
        x, k = state
        s = fnp.linalg.svd(x * 0.5 + fnp.sin(x), compute_uv=False)
        return x / (s[0] + 1) + fnp.cos(x) * s[1], k + 1

    return fg.lax.while_loop(lambda state: state[1] < 5, step, (x, 0))


def chosen(x):
    left = lambda x: fnp.linalg.svd(fnp.exp(-x * x) + x, compute_uv=False) * 2 - fnp.sum(x)
    return fg.lax.cond(x[0, 0] > 0, left, fnp.diagonal, x) + fnp.sum(fnp.tanh(x) * x)


PROGRAMS = {
    "a factor": (fg.value_and_grad(spread), RNG.normal(size=(5, 4)), RNG.normal(size=(6, 5))),
    "a function": (fg.value_and_grad(inner, (0, 1)), RNG.normal(size=20), RNG.normal(size=20)),
    "a step": (fg.value_and_grad(rotated), RNG.normal(size=(4, 4)), RNG.normal(size=(9, 4))),
    "a loop": (until, RNG.normal(size=(4, 4))),
    "a branch": (chosen, np.abs(RNG.normal(size=(4, 4)))),
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_what_lies_between_is_one_function(name):
    f, *args = PROGRAMS[name]
    jitted = in_stretches(f, *args)
    outside = jitted.cost(*args).outside
    assert any(word in " ".join(outside) for word in ("svd", "betainc", "qr")) or name in ("a loop", "a branch")
    assert not any(e.startswith(("exp", "tanh", "matmul", "call", "stretch")) for e in outside)


def test_two_operations_are_no_stretch_and_views_stay_outside():
    def f(x):
        y = (x * 2 + 1).T
        return fnp.linalg.svd(y[::-1], compute_uv=False), fnp.linalg.svd(x.T, compute_uv=False)

    in_stretches(f, RNG.normal(size=(4, 3)), count=0)
    in_stretches(lambda x: fnp.linalg.svd((fnp.exp(x) * 2 + 1).T, compute_uv=False), RNG.normal(size=(4, 3)), count=1)


def test_large_arrays_are_for_groups():
    def f(x):
        row = fnp.sum(x, axis=0)
        return fnp.sort(fnp.exp(row) / (1 + row)), x - fnp.tanh(row) * row

    in_stretches(f, RNG.normal(size=(300, 200)), count=0)


def test_warnings_are_those_of_the_results():
    """An infinity on the way goes unnoticed; if a result is not finite, it is computed with NumPy, which warns."""

    def f(x):
        y = fnp.log(x) * 2 - x
        return fnp.sum(fnp.exp(fnp.sort(y)) / (1 + y * y)), y[1:] * 2

    x = np.linspace(0.0, 1.0, 600)
    jitted = fg.jit(f, backend="native")
    assert "call_stretch" in jitted.source(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jitted(x)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert jitted(np.roll(x, 3))[1][2] == -np.inf


def test_errors_are_raised_in_a_stretch():
    def f(x, i):
        return fnp.linalg.svd(fnp.exp(x[i] * 2) + x, compute_uv=False)

    x = RNG.normal(size=(4, 4))
    jitted = in_stretches(f, x, np.array([1, -1, 0, 2]))
    with pytest.raises(IndexError, match="out of bounds"):
        jitted(x, np.array([1, 4, 0, 2]))


def test_a_step_that_numpy_changes_in_place_stays_with_it():
    def f(y, rows):
        def step(y, row):
            s = fnp.linalg.svd(row * 0.1 + fnp.sin(row), compute_uv=False)
            return y.at[0].add(s[0]), fnp.sum(s)

        return fg.lax.scan(step, y, rows)

    source = in_stretches(f, np.zeros(5000), RNG.normal(size=(3, 4, 4)), count=1).source(
        np.zeros(5000), RNG.normal(size=(3, 4, 4))
    )
    assert re.search(r"add_to_part|\+= |add_at", source)
