"""Softmax and logsumexp by hand: the maximum has no derivative, and the pull is what one would write."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad import lax, nn
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified


def kept(x):
    m = fnp.max(x, axis=1, keepdims=True)
    return fnp.sum((fnp.log(fnp.sum(fnp.exp(x - m), axis=1, keepdims=True)) + m) ** 2)


def apart(x):
    m = fnp.max(x, axis=1)
    return fnp.sum((fnp.log(fnp.sum(fnp.exp(x - m[:, None]), axis=1)) + m) ** 2)


def columns(x):
    m = fnp.max(x, axis=0)
    return fnp.sum((fnp.log(fnp.sum(fnp.exp(x - m), axis=0)) + m) ** 2)


def everything(x):
    m = fnp.max(x)
    return (fnp.log(fnp.sum(fnp.exp(x - m))) + m) ** 2


def softmax(x, axis=1):
    e = fnp.exp(x - fnp.max(x, axis=axis, keepdims=True))
    return e / fnp.sum(e, axis=axis, keepdims=True)


def squared(x):
    return fnp.sum(softmax(x) ** 2 * (x + 1))


def cross_entropy(x):
    m = fnp.max(x, axis=1, keepdims=True)
    logits = x - m - fnp.log(fnp.sum(fnp.exp(x - m), axis=1, keepdims=True))
    return -fnp.sum(logits[:, 1])


VANISH = [kept, apart, columns, everything, squared, cross_entropy, lambda x: fnp.sum(softmax(3 * x, 0)[0] * x[1])]
STAY = {
    "another function of it": lambda x: fnp.sum(fnp.log(fnp.sum(fnp.exp(x - 2 * fnp.max(x, 1, keepdims=True)), 1))),
    "no logarithm": lambda x: fnp.sum(fnp.exp(x - fnp.max(x, axis=1, keepdims=True)) * x),
    "of other rows": lambda x: fnp.sum(fnp.log(fnp.sum(fnp.exp(x - fnp.max(x, axis=1, keepdims=True)), axis=0))),
    "itself": lambda x: fnp.sum(fnp.max(x, axis=1) ** 2),
}


def names(f, x):
    return [e.primitive.name for e in simplified(inline(fg.make_tape(fg.grad(f))(x))).equations]


@pytest.mark.parametrize("square", [False, True])
@pytest.mark.parametrize("f", VANISH)
def test_it_vanishes(f, square):
    x = np.random.default_rng(0).normal(size=(6, 6) if square else (6, 4))
    assert "equal" not in names(f, x)
    np.testing.assert_allclose(fg.jit(fg.grad(f))(x), fg.grad(f)(x), rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("f", STAY.values(), ids=STAY)
def test_elsewhere_it_stays(f):
    x = np.random.default_rng(0).normal(size=(5, 5))
    assert "equal" in names(f, x)
    np.testing.assert_allclose(fg.jit(fg.grad(f))(x), fg.grad(f)(x), rtol=1e-11, atol=1e-13)


def test_ties_share_nothing():
    x = np.array([[1.0, 1.0, 0.0]])
    p = np.exp([[0.0, 0.0, -1.0]])
    p /= p.sum()
    np.testing.assert_allclose(fg.jit(fg.grad(kept))(x), 2 * (1 - np.log(p[0, 0])) * p, rtol=1e-14)


@pytest.mark.parametrize("f", VANISH[:6])
def test_rows_that_are_not_finite(f):
    x = np.array([[0.5, 1, -np.inf], [np.nan, 1, 2], [np.inf, 1, 2], [-np.inf] * 3, [3, 2, 1]])
    with np.errstate(all="ignore"):
        found, expected = fg.jit(fg.grad(f))(x), fg.grad(f)(x)
    np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))
    np.testing.assert_allclose(*[np.nan_to_num(np.asarray(a)) for a in (found, expected)], rtol=1e-12)


@pytest.mark.parametrize("by_hand", [False, True])
def test_the_pull_of_a_softmax(by_hand):
    """y (g - Σ g y): but for y itself there is no division, and two products of all elements."""

    def f(x, g):
        return fg.vjp(softmax if by_hand else lambda x: nn.softmax(x, axis=1), x)[1](g)[0]

    x, g = np.random.default_rng(0).normal(size=(2, 6, 4))
    tape = simplified(inline(fg.make_tape(f)(x, g)))
    whole = [e.primitive.name for e in tape.equations if e.shape == (6, 4)]
    assert whole.count("divide") == 1 and whole.count("multiply") == 2
    y = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fg.jit(f)(x, g), y * (g - np.sum(g * y, axis=1, keepdims=True)), rtol=1e-12, atol=1e-15)


def test_a_mean_of_logarithms_divides_once_for_a_row():
    x = np.random.default_rng(0).normal(size=(6, 4))
    tape = simplified(inline(fg.make_tape(fg.grad(lambda x: fnp.mean(fnp.logsumexp(x, axis=1))))(x)))
    assert not any(e.primitive.name == "divide" and e.shape == x.shape for e in tape.equations)


def test_a_sum_that_may_be_small_divides_each_element():
    x = np.array([[-700.0, -701.0], [1.0, 2.0]])

    def f(x, g):
        e = fnp.exp(x - fnp.maximum(fnp.max(x, axis=1, keepdims=True), 5.0))
        return g * (e / fnp.sum(e, axis=1, keepdims=True))

    np.testing.assert_allclose(fg.jit(f)(x, 1e30), f(x, 1e30), rtol=1e-13)


def test_sums_of_quotients_and_products():
    def f(x, y, s):
        return x / s + y / s, x * y - s * y, (x / s) * y + y / s, x * y + x * s

    x, y = 1 + np.random.default_rng(0).random((2, 5, 3))
    for s in (x + 1, x[:, :1], x[0]):
        for found, expected in zip(fg.jit(f)(x, y, s), f(x, y, s), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-13)


def test_a_long_program_is_looked_at_in_part():
    def f(x):
        y = x
        for _ in range(60):
            y = y * 0.9 + fnp.sin(y)
        return kept(y) + fnp.sum(softmax(y) * y)

    x = np.random.default_rng(0).normal(size=(3, 4))
    np.testing.assert_allclose(fg.jit(fg.grad(f))(x), fg.grad(f)(x), rtol=1e-9, atol=1e-12)
    steps = fg.jit(fg.grad(lambda x: fnp.sum(lax.scan(lambda c, _: (softmax(c) + c, None), x, None, length=3)[0] ** 2)))
    np.testing.assert_allclose(steps(x), fg.grad(lambda x: fnp.sum(thrice(x) ** 2))(x), rtol=1e-10)


def thrice(x):
    for _ in range(3):
        x = softmax(x) + x
    return x
