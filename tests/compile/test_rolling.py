"""Unrolled loops, compiled as scans, against the same program without the pass and against the uncompiled function."""

import random

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import rolling
from funcgrad.compile.passes.rolling import rolled

N = 12
ROWS = np.cos(np.arange(3.0 * N)).reshape(N, 3)


@pytest.fixture(autouse=True)
def short_loops_too(monkeypatch):
    monkeypatch.setattr(rolling, "LEAST", 24)


def scans(f, *args):
    """How many equations and how many scans the program of a function is, rolled; and that it gives the same."""
    tape = inline(fg.make_tape(f)(*args))
    short = rolled(tape)
    expected, found = fg.tree.leaves(tape(*args)), fg.tree.leaves(short(*args))
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-12)
    for a, b in zip(fg.tree.leaves(fg.jit(f)(*args)), fg.tree.leaves(f(*args)), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-10, atol=1e-10)
    return sum([e.primitive.name == "scan" for e in short.equations])


def recurrent(h, w, xs):
    for k in range(N):
        h = fnp.tanh(h @ w + xs[k])
    return h


def losses(h, w, xs):
    loss = 0.0
    for k in range(N):
        h = fnp.tanh(h @ w + xs[k])
        loss = loss + fnp.sum((h - ROWS[k]) ** 2)
    return loss


def collected(h, w, xs):
    found = []
    for k in range(N):
        h = fnp.tanh(h @ w + xs[N - 1 - k])
        found.append(h)
    return fnp.stack(found)


def first_and_last_differ(h, w, xs):
    for k in range(N):
        h = fnp.tanh(h @ w + xs[k] if k else h @ w)
        h = h * 2 if k == N - 1 else h
    return fnp.sum(h * h)


def times(h, w, xs):
    for k in range(N):
        h = fnp.sin(h * (0.1 * k + 0.05) + w[0])
    return fnp.sum(h)


def every_second(h, w, xs):
    for k in range(0, N, 1):
        h = h * xs[k, 1] + fnp.exp(-w[0, 0]) * fnp.cos(h)
    return h


def elements(h, w, xs):
    total = 0.0
    for k in range(N):
        total = total + fnp.sin(w[0, 1] * xs[k, 0] + w[1, 1]) * xs[k, 2]
    return total


def two_before(h, w, xs):
    before = now = h
    for _ in range(N):
        before, now = now, fnp.sin(now) + 0.5 * before
    return now


def inner_loop(h, w, xs):
    for k in range(N):
        for _ in range(9):
            h = h + 0.01 * fnp.sin(h)
        h = h @ w + xs[k]
    return fnp.sum(h)


def several_results(h, w, xs):
    for k in range(N):
        q, r = fnp.linalg.qr(fnp.eye(3) + 0.1 * fnp.outer(h, h))
        h = q @ h * fnp.sum(r) * 0.2 + fg.lax.cond(h[0] > 0, fnp.sin, fnp.cos, xs[k])
    return h


def by_three(h, w, xs):
    values = [h, fnp.sin(h), fnp.cos(h)]
    for k in range(40):
        values.append(fnp.sin(values[-1 - k % 3] * values[-3]))
    return values[-1]


H, W = np.array([0.1, 0.2, -0.3]), np.sin(np.arange(9.0)).reshape(3, 3) / 2
XS = np.sin(np.arange(3.0 * N)).reshape(N, 3)
LOOPS = [recurrent, losses, collected, first_and_last_differ, times, every_second, elements, two_before, inner_loop]


@pytest.mark.parametrize("f", [*LOOPS, by_three])
def test_loops_become_scans(f):
    args = fnp.asarray(H), fnp.asarray(W), fnp.asarray(XS)
    assert scans(f, *args) >= 1
    number = lambda *xs: fnp.sum(fnp.sin(f(*xs)))
    assert scans(fg.value_and_grad(number, argnums=(0, 1, 2)), *args) >= (1 if f is elements else 2)
    scans(lambda *xs: fg.jvp(number, xs, xs), *args)
    scans(fg.grad(lambda h: fnp.sum(fg.grad(number)(h, *args[1:]) ** 2)), args[0])


@pytest.mark.parametrize("f", LOOPS)
def test_dtypes_stay(f):
    args = [fnp.asarray(x, "float32") for x in (H, W, XS)]
    tape = inline(fg.make_tape(fg.value_and_grad(lambda *xs: fnp.sum(f(*xs)), argnums=(0, 1)))(*args))
    for a, b in zip(fg.tree.leaves(rolled(tape)(*args)), fg.tree.leaves(tape(*args)), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4, atol=1e-5)


def test_values_are_equal_to_the_last_bit():
    tape = fg.make_tape(losses)(H, W, XS)
    assert float(rolled(tape)(H, W, XS)) == float(tape(H, W, XS))


def reads_the_first(x):
    values = [fnp.sin(x)]
    for k in range(40):
        values.append(fnp.sin(values[k] + values[k // 2]))
    return values[-1]


def test_what_is_no_loop_stays():
    assert scans(reads_the_first, fnp.asarray(H)) == 0
    assert scans(several_results, *map(fnp.asarray, (H, W, XS))) == 0  # each call of cond holds functions of its own


def test_short_programs_and_few_repetitions_stay():
    def few(x):
        for _ in range(5):
            for f in (fnp.sin, fnp.cos, fnp.tanh, fnp.exp, fnp.arctan, fnp.sinh):
                x = f(x) * 0.5
        return x

    assert scans(few, fnp.asarray(H)) == 0


def test_lower_shows_the_scan(monkeypatch):
    monkeypatch.undo()

    def heat(u):
        for _ in range(100):
            u = u + 0.1 * (fnp.roll(u, 1) + fnp.roll(u, -1) - 2 * u)
        return u

    lowered = str(fg.jit(heat).lower(fnp.ones(100)))
    assert "100 times(" in lowered and lowered.count("\n") < 20


def step(draw):
    """A random step of two values, a row and constants."""
    kinds = [draw.choice(["sin", "product", "row", "sum", "constant", "clock", "other", "where"]) for _ in range(5)]

    def apply(k, a, b, p, xs):
        for kind in kinds:
            if kind == "sin":
                a = fnp.sin(a)
            elif kind == "product":
                a, b = b * 0.5, a * b
            elif kind == "row":
                b = b + xs[k] * p[0]
            elif kind == "sum":
                a = a + fnp.sum(b) * 0.1
            elif kind == "constant":
                b = fnp.tanh(b * fnp.exp(p[1]))
            elif kind == "clock":
                a = a * np.cos(k / 3)
            elif kind == "other":
                b = b + xs[k // 2]
            else:
                a = fnp.where(b > 0, a, -b)
        return a, b

    return apply


@pytest.mark.parametrize("seed", range(12))
def test_random_steps(seed):
    draw = random.Random(seed)
    apply, n = step(draw), draw.choice([9, 10, 17])
    odd = {draw.randrange(n) for _ in range(draw.choice([0, 0, 1]))}
    ends, summed = draw.random() < 0.5, draw.random() < 0.5
    xs = np.cos(np.arange(3.0 * n)).reshape(n, 3)

    def f(a, p, xs):
        b, found = a * 0.5, []
        for k in range(n):
            a, b = apply(k, a, b, p, xs)
            if k in odd:
                a = a + 1
            found.append(fnp.sum(a * b))
        if ends:
            return fnp.sum(a) + fnp.sum(b)
        return sum(found) if summed else fnp.sum(fnp.stack(found) ** 2) + found[2] * found[-1]

    args = fnp.asarray(H), fnp.asarray([0.3, -0.2]), fnp.asarray(xs)
    scans(f, *args)
    scans(fg.value_and_grad(f, argnums=(0, 1, 2)), *args)
