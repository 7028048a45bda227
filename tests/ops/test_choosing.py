"""Choices by bits: the same as np.where, to the signs of zeros, for long arrays of every kind."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.ops.choosing import choose

SIZE = 5000
RNG = np.random.default_rng(0)
SPECIAL = np.array([0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -2.0, 1e-310])


def numbers(dtype, *shape):
    x = RNG.normal(size=shape).astype(dtype)
    x.flat[: min(8, x.size)] = SPECIAL[: x.size].astype(dtype)
    return x


def same(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(found[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64"])
def test_as_numpy_chooses(dtype):
    condition = RNG.random((50, 100)) < 0.5
    x, y = [numbers("float64", 50, 100) for _ in range(2)]
    if dtype == "int64":
        x, y = [np.nan_to_num(v, posinf=7, neginf=-7) for v in (x, y)]
    x, y = x.astype(dtype), y.astype(dtype)
    beside = [y[0], y[:, :1], 0, 0.0, -0.0, 2.5, np.inf, -np.nan, np.float32(3), y.T.copy().T, np.asfortranarray(y)]
    for other in [y, *beside]:
        same(choose(condition, x, other), np.where(condition, x, other))
        same(choose(condition, other, x), np.where(condition, other, x))
    same(choose(condition[0], x, 0), np.where(condition[0], x, 0))
    long = RNG.random(SIZE) < 0.5
    same(choose(long, x[:2, :1], 0.0), np.where(long, x[:2, :1], 0.0))
    same(choose(long, 1.0, 2), np.where(long, 1.0, 2))


def test_numbers_beyond_the_dtype():
    condition, x = RNG.random(SIZE) < 0.5, numbers("float32", SIZE)
    with warnings.catch_warnings(record=True) as expected:
        warnings.simplefilter("always")
        wanted = np.where(condition, 1e300, x)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        same(choose(condition, 1e300, x), wanted)
    assert len(found) == len(expected)


def test_into_an_operand():
    condition = RNG.random(SIZE) < 0.5
    for k in range(2):
        for others in ((0, 1.0), (numbers("float64", SIZE), numbers("float64", 1))):
            for other in others:
                x = numbers("float64", SIZE)
                given = (x, other) if k else (other, x)
                expected = np.where(condition, *given)
                assert choose(condition, *given, x) is x
                same(x, expected)
    short = numbers("float64", 3)
    same(choose(short > 0, 1.0, short, short), np.where(short > 0, 1.0, short))


@pytest.mark.parametrize("size", [3, 40, SIZE, 1 << 15])
def test_compiled_choices(size):
    x, y = numbers("float64", size), numbers("float64", size)[::-1].copy()

    def f(x, y):
        rectified = fg.nn.relu(x)
        return rectified, fnp.where(x > y, x, y * 2), fg.nn.leaky_relu(x), fg.nn.hard_tanh(y)

    for found, expected in zip(fg.jit(f)(x, y), f(x, y), strict=True):
        same(found, expected)
    gradient = fg.grad(lambda x, y: fnp.sum(fnp.where(fnp.isfinite(x * y), f(x, y)[0] * f(x, y)[1], 0.0)), (0, 1))
    x, y = np.nan_to_num(x, posinf=3, neginf=-3), np.nan_to_num(y, posinf=3, neginf=-3)
    for found, expected in zip(fg.jit(gradient)(x, y), gradient(x, y), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14)
