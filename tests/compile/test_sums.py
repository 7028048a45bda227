"""Sums of products: what is the same in all terms leaves the sum, and products that are there are not made again."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified
from funcgrad.compile.passes.sums import sums

N, K, D = 20, 4, 3


def made(f, *args):
    return simplified(inline(fg.make_tape(f)(*args)))


def products(tape, size):
    return sum(
        e.primitive.name in ("multiply", "divide", "square") and np.prod(e.shape) == size for e in tape.equations
    )


def by_precision(m, h, x, w):
    z = (x[:, None] - m) * h
    return fnp.sum(w * fnp.sum(z * z, axis=2))


def by_scale(m, h, x, w):
    z = (x[:, None] - m) / h
    return fnp.sum(w * fnp.sum(z * z, axis=2))


def arrays():
    rng = np.random.default_rng(0)
    return rng.normal(size=(K, D)), 1 + rng.random((K, D)), rng.normal(size=(N, D)), rng.normal(size=(N, K))


@pytest.mark.parametrize("f, power", [(by_precision, 1), (by_scale, -1)])
def test_distances_by_scales(f, power):
    m, h, x, w = args = arrays()
    gradient, both = fg.grad(f, argnums=(0, 1)), fg.value_and_grad(f, argnums=(0, 1))
    d = x[:, None] - m
    expected = (
        np.einsum("nk,nkd,kd->kd", -2 * w, d, h ** (2 * power)),
        np.einsum("nk,nkd,kd->kd", 2 * power * w, d**2, h ** (2 * power - 1)),
    )
    for found, right in zip(fg.jit(gradient)(*args), expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)
    for found, right in zip(fg.jit(both)(*args)[1], expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)
    assert products(made(gradient, *args), N * K * D) <= 4  # z, 2 w z, and that times d
    assert products(made(both, *args), N * K * D) <= 5


def test_a_factor_alone_stays_in_the_sum():
    """It may be infinite where all else is zero, which is nan."""
    f = lambda x, c: fnp.sum(x * c, axis=0)  # short
    x, c = np.array([[0.0, 1.0], [2.0, 3.0]]), np.array([np.inf, 2.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(fg.jit(f)(x, c), [np.nan, 8.0])


@pytest.mark.parametrize("axis", [0, 1, 2, (0, 1), (1, 2), (0, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_any_axes(axis, keepdims):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 5, 6))
    shape = np.sum(x, axis=axis, keepdims=True).shape
    c, d = 1 + rng.random(shape), rng.normal(size=np.sum(x, axis=axis, keepdims=keepdims).shape)

    def f(x, c, d):
        z = x * c
        return (
            fnp.sum(-3.0 * (z * x) / c * c * c, axis=axis, keepdims=keepdims) * d,
            z,
            fnp.sum(z * x * c * 0.5, axis=axis),
        )

    for found, expected in zip(fg.jit(f)(x, c, d), f(x, c, d), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


def test_layer_norm_divides_once_for_a_row():
    def f(x):
        d = x - fnp.mean(x, axis=1, keepdims=True)
        return fnp.sum(fnp.sin(d / fnp.sqrt(fnp.mean(d * d, axis=1, keepdims=True))))

    x = np.random.default_rng(0).normal(size=(N, 50))
    tape = made(fg.grad(f), x)
    assert sum(e.primitive.name == "divide" and e.shape == x.shape for e in tape.equations) == 2
    np.testing.assert_allclose(fg.jit(fg.grad(f))(x), fg.grad(f)(x), rtol=1e-12, atol=1e-13)


def test_what_others_read_stays_and_long_products_do_too():
    def f(x, c):
        z = x * c
        terms = z * x * c
        long = z
        for _ in range(20):
            long = long * (x + 2)
        return fnp.sum(terms, axis=0), terms, fnp.sum(long, axis=0)

    x, c = np.random.default_rng(0).random((2, 5, 3))
    for found, expected in zip(fg.jit(f)(x, c[0]), f(x, c[0]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_nothing_to_do_gives_the_same_tape():
    tape = inline(fg.make_tape(lambda x: fnp.sum(x * x))(np.ones(3)))
    assert sums(tape) is tape
