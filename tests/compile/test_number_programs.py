"""Loops of numbers in one function, against the same program uncompiled."""

import sys
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp

sys.path.append(str(Path(__file__).parent))
from random_rows import Program

N = 40
W = np.cos(np.arange(2.0 * N)).reshape(N, 2)
S = np.sin(np.arange(1.0 * N))
X = np.array([0.3, 0.7])
P = np.array([0.2, 0.5])


def step(x, p):
    return fnp.stack([x[0] - 0.1 * p[0] * x[1], x[1] + 0.1 * fnp.tanh(x[0]) * p[1]])


def unrolled(x, p):
    for _ in range(N):
        x = step(x, p)
    return fnp.sum(x * x)


def measured(x, p, s):
    loss = 0.0
    for k in range(N):
        x = step(x, p)
        loss = loss + (x[1] - s[k]) ** 2
    return loss


def known_rows(x, p):
    loss = 0.0
    for k in range(N):
        x = step(x, p) + W[k]
        loss = loss + fnp.sum(x * W[N - 1 - k])
    return loss


def trajectory(x, p):
    return fg.lax.scan(lambda c, _: (step(c, p), c), x, None, N)[1]


def backwards(x, p, w):
    last, rows = fg.lax.scan(lambda c, y: (step(c, p) + 0.1 * y, c[0] * y), x, w, reverse=True)
    return last, rows


def handed_on(x, p):
    _, rows = fg.lax.scan(lambda c, _: (step(c, p), c), x, None, N)
    _, firsts = fg.lax.scan(lambda c, y: (c + y, c[0] * y[1]), x, rows[::-1][1:])
    return fnp.sum(firsts * rows[1:, 0]), rows[3], rows[-1, 1], fnp.sum(rows, axis=(0, 1)), fnp.sum(rows * rows, axis=0)


def sums(x, p):
    last, (a, b) = fg.lax.scan(lambda c, _: (step(c, p), (c[0], c)), x, None, N)
    return fnp.sum(a * b[:, 0]) + fnp.sum(a[1:] * a[:-1]) + fnp.sum(a[1:] + p[0]), fnp.sum(b * last, axis=0), -2.0 * b


def asked(x, p):
    last, (low, y) = fg.lax.scan(lambda c, _: (step(c, p), (c[0] < c[1], c[0])), x, None, N)
    return last, fg.lax.scan(lambda c, b: (fnp.where(b[0], c + b[1], c), None), 0.0, (low, y))[0]


def short_rows(x, p, few):
    _, rows = fg.lax.scan(lambda c, y: (step(c, p) * y, c), x, few * 2.0)
    return rows[0] + fg.lax.scan(lambda c, y: (c + y, None), x, rows * few[:, None])[0], fnp.concatenate([rows, rows])


def chosen(x, p):
    rows = fg.lax.scan(
        lambda c, _: (fg.lax.cond(c[0] > 0.31, lambda c: step(c, p), lambda c: c + 0.01, c), c), x, None, N
    )[1]
    return fnp.sum(rows[:, 1])


def one_number(x, p):
    rows = fg.lax.scan(lambda c, _: (c * p[0] + 0.1, c), x[0], None, N)[1]
    return fg.lax.scan(lambda c, r: (c * r + p[1], None), 1.0, rows, reverse=True)[0]


def parts(x, p):
    _, rows = fg.lax.scan(lambda c, _: (step(c, p), c), x, None, N)
    squares = (rows * rows + p)[5:30]
    return fnp.sum(squares, axis=0), squares[::-1], (rows * 2.0)[7], fnp.sum(rows, axis=1)[3:]


def pairs(f, *args):
    kernel = fg.jit(f, backend="numpy")
    return kernel, zip(fg.tree.leaves(kernel(*args)), fg.tree.leaves(f(*args)), strict=True)


CASES = {
    "unrolled": (fg.value_and_grad(unrolled, (0, 1)), X, P),
    "measured": (fg.value_and_grad(measured, (0, 1)), X, P, S),
    "known_rows": (fg.value_and_grad(known_rows, (0, 1)), X, P),
    "trajectory": (trajectory, X, P),
    "backwards": (backwards, X, P, W),
    "handed_on": (handed_on, X, P),
    "sums": (sums, X, P),
    "parts": (parts, X, P),
    "asked": (asked, X, P),
    "chosen": (fg.value_and_grad(chosen), X, P),
    "one_number": (fg.value_and_grad(one_number), X, P),
}


@pytest.mark.parametrize("name", CASES)
def test_loops_share_a_function(name):
    f, *args = CASES[name]
    kernel, found = pairs(f, *args)
    for a, b in found:
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-14)
    source = kernel.source(*args)
    assert source.count("def ") == 1
    assert "for " in source


LINES = {
    "measured": (fg.value_and_grad(measured, (0, 1, 2)), X, P, S),
    "backwards": (fg.grad(lambda x, p, w: fnp.sum(backwards(x, p, w)[1] * w), (0, 1, 2)), X, P, W),
}


@pytest.mark.parametrize("name", LINES)
def test_steps_in_a_line(name):
    f, *args = LINES[name]
    kernel, found = pairs(f, *args)
    for a, b in found:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12, atol=1e-14)
    assert "for " not in kernel.source(*args)


@pytest.mark.parametrize("seed", [5250, 21476])
def test_what_a_loop_adds_up_may_need_what_is_beside_its_rows(seed):
    program = Program(seed)
    for a, b in pairs(program, *program.args)[1]:
        assert a.shape == b.shape
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-10)


@pytest.mark.parametrize("second", [fg.hessian(unrolled), fg.jacfwd(fg.grad(unrolled, 1))])
def test_second_derivatives_of_loops(second):
    for a, b in pairs(second, X, P)[1]:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("f", [short_rows, fg.grad(lambda *xs: fnp.sum(short_rows(*xs)[0]), (0, 2))])
def test_few_rows_are_lists_or_steps_in_a_line(f):
    few = np.linspace(0.5, 1.0, 4)
    for a, b in pairs(f, X, P, few)[1]:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


def test_what_python_cannot_do_is_left_to_numpy():
    def quotient(x):
        rows = fg.lax.scan(lambda c, _: (c - 0.5, 1.0 / c), x, None, N)[1]
        return fg.lax.scan(lambda c, r: (c + r, None), 0.0, rows)[0]

    compiled = fg.jit(quotient, backend="numpy")
    assert np.isclose(compiled(0.25), quotient(0.25))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert compiled(1.0) == np.inf
    with pytest.warns(RuntimeWarning, match="overflow"):
        rows = fg.jit(lambda x: fg.lax.scan(lambda c, _: (c * c, c), x, None, N)[1], backend="numpy")(1e9)
    assert rows[0] == 1e9
    assert rows[-1] == np.inf


@pytest.mark.parametrize(
    "f",
    [
        lambda x: fg.lax.scan(lambda c, y: (c + y, c * y), x, fnp.exp(fnp.reshape(W, (-1,))))[1],
        lambda x: fg.lax.scan(lambda c, _: (c + 1.0, fnp.zeros(3) * c), x, None, N)[1].reshape(-1),
        lambda x: fnp.sort(fg.lax.scan(lambda c, _: (-c * 0.9, c), x, None, N)[1]),
        lambda x: fg.lax.scan(lambda c, _: (c + 1, c), 0, None, N)[1] * x,
        lambda x: fg.lax.scan(lambda c, _: (c * 0.9, c), x, None, N)[1][::2],
        lambda x: fg.lax.scan(lambda c, i: (c * fnp.asarray(S)[i], None), x, fnp.arange(N))[0],
        lambda x: fg.lax.scan(lambda c, _: (c * 0.9, c), x, None, N)[1] * S,
        lambda x: reduce(lambda y, _: fnp.sin(y), range(40), fg.lax.scan(lambda c, _: (c * 0.9, c), x, None, N)[1]),
    ],
)
def test_other_programs_are_written_as_before(f):
    for a, b in pairs(f, np.float64(0.3))[1]:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)
