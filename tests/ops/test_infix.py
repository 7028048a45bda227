"""The operator of a record and its ufunc agree on NumPy scalars: numbers, dtypes, kinds of warnings."""

import itertools
import warnings

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.core.primitive import registry
from funcgrad.ops import elementwise

OPERATORS = [p for p in registry.values() if p.infix is not p.impl]
NUMBERS = [0.0, -0.0, 1.5, -2.0, 1e308, 5e-324, np.inf, -np.inf, np.nan]


def outcome(f, *args):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return f(*args), {str(w.message).split(" encountered")[0] for w in said}


def test_which_have_one():
    assert {p.name for p in OPERATORS} == {"add", "subtract", "multiply", "divide", "matmul"}


@pytest.mark.parametrize("p", [p for p in OPERATORS if p.name != "matmul"], ids=str)
def test_numbers(p):
    others = [np.float64(3.0), np.float32(3.0), 3.0, 3, np.ones(2), np.int64(2)]
    for a, b in itertools.product(NUMBERS, repeat=2):
        for x, y in [(np.float64(a), np.float64(b)), (np.float64(a), b), (a, np.float64(b))]:
            (found, said), (expected, warned) = outcome(p.infix, x, y), outcome(p.impl, x, y)
            np.testing.assert_array_equal(found, expected)
            assert np.signbit(found) == np.signbit(expected) or np.isnan(expected)
            assert (type(found), said) == (type(expected), warned)
    for x in others:
        for pair in [(x, np.float64(0.7)), (np.float64(0.7), x)]:
            found, expected = p.infix(*pair), p.impl(*pair)
            assert (type(found), found.dtype) == (type(expected), expected.dtype)
            np.testing.assert_array_equal(found, expected)


def test_errors_that_numpy_was_asked_for():
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        fg.grad(lambda x: 1.0 / x)(0.0)


def test_inputs_without_axes_are_scalars():
    seen = []
    for x in (np.array(2.0), np.float32(2.0), fg.Array(2.0), 2.0):
        fg.grad(lambda x: (seen.append(type(x._value)), x * x)[1])(x)
    assert seen == [np.float64, np.float32, np.float64, np.float64]
    assert elementwise.add.infix(1, 2) == 3


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_an_array_times_itself_is_a_square(dtype):
    x = (np.arange(-3, 4) * 0.5).astype(dtype)
    value, pullback = fg.vjp(lambda x: x * x, x)
    assert [e.primitive.name for e in pullback.tape] == ["square"]
    _, two = fg.vjp(lambda x: x * (x + 0), x)
    np.testing.assert_array_equal(value, x * x)
    for g in (np.ones_like(x), x):
        np.testing.assert_array_equal(pullback(g)[0], two(g)[0])
    with pytest.raises(fg.errors.LeakedTracerError):
        kept = []
        fg.grad(lambda x: (kept.append(x), x.sum())[1])(np.ones(3))
        kept[0] * kept[0]


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int16", "bool", "float16"])
def test_products_of_matrices(dtype):
    p = registry["matmul"]
    x, y = (np.arange(6).reshape(2, 3) % 3).astype(dtype), (np.arange(12).reshape(3, 4) % 5).astype(dtype)
    pairs = [
        (x, y),
        (y.T, x.T),
        (x[:, ::-1], y[::-1]),
        (x[:0], y),
        (x[:, :0], y[:0]),
        (x, y[:, 0]),
        (x[0], y),
        (x[None], y),
    ]
    for a, b in pairs:
        found, expected = p.infix(a, b), p.impl(a, b)
        np.testing.assert_array_equal(found, expected)
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    with pytest.raises(ValueError):
        p.infix(x, x)
    if dtype == "float64":
        for a, b in [(np.full((2, 2), 1e308), np.full((2, 2), 10.0)), (np.full((2, 2), np.inf), np.zeros((2, 2)))]:
            (found, said), (expected, warned) = outcome(p.infix, a, b), outcome(p.impl, a, b)
            np.testing.assert_array_equal(found, expected)
            assert said == warned
