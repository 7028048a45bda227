"""Sums that are products with ones give what NumPy's sums give."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.core.sums import LONGEST, MOST, sum_last, sum_leading

SHAPES = [
    (1, 1),
    (3, 1),
    (1, 4),
    (8, 32),
    (5, 3, 2),
    (2, 3, 4, 5),
    (1000, 7),
    (7, LONGEST),
    (0, 3),
    (3, 0),
    (MOST + 1, 2),
]


def close(a, b, x, axis):
    assert (a.shape, a.dtype) == (b.shape, b.dtype)
    bound = np.finfo(a.dtype).eps * np.sum(np.abs(x), axis) * 8
    assert np.all(np.abs(a - b) <= bound)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", "fd")
def test_values(shape, dtype):
    x = np.random.default_rng(0).normal(size=shape).astype(dtype)
    for y in (x, x[::-1], np.asfortranarray(x)):
        for k in range(1, x.ndim):
            close(sum_leading(y, k), np.sum(y, tuple(range(k))), y, tuple(range(k)))
        last = sum_last(y)
        if last is not None:
            close(last, np.sum(y, -1), y, -1)
        for axis in (0, -1):
            for keepdims in (False, True):
                found = np.asarray(fnp.sum(y, axis, keepdims=keepdims))
                assert found.shape == np.sum(y, axis, keepdims=keepdims).shape
                np.testing.assert_allclose(found, np.sum(y, axis, keepdims=keepdims), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["int8", "int64", "bool", "float16", "complex64", "complex128", "longdouble"])
def test_other_dtypes_are_left_to_numpy(dtype):
    x = np.arange(12).reshape(4, 3).astype(dtype)
    for axis in (0, 1):
        found = np.asarray(fnp.sum(x, axis))
        np.testing.assert_array_equal(found, np.sum(x, axis))
        assert found.dtype == np.sum(x, axis).dtype


@pytest.mark.parametrize("axis", [0, 1])
def test_nan_and_infinities(axis):
    x = np.ones((8, 8))
    x[0, 0], x[1, 1], x[2, 2], x[3, 3], x[3, 4], x[4, 3] = np.nan, np.inf, -np.inf, np.inf, -np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(fnp.sum(x, axis), np.sum(x, axis))
    with pytest.raises(FloatingPointError, match="invalid"), np.errstate(invalid="raise"):
        fnp.sum(x, axis)


@pytest.mark.parametrize("axis", [0, 1])
def test_overflow_warns(axis):
    with pytest.warns(RuntimeWarning, match="overflow"):
        found = fnp.sum(np.full((4, 4), 1e308), axis)
    np.testing.assert_array_equal(found, np.inf)
    with warnings.catch_warnings(), np.errstate(over="ignore"):
        warnings.simplefilter("error")
        fnp.sum(np.full((4, 4), 1e308), axis)


@pytest.mark.parametrize("shape", [(3,), (1, 3), (4, 3), (2, 4, 3)])
def test_cotangents_of_what_was_broadcast(shape):
    x = np.random.default_rng(1).normal(size=(2, 4, 3))
    b = np.ones(shape)
    g = np.asarray(fg.grad(lambda b: fnp.sum(x * (x + b)))(b))
    extra = tuple(range(3 - len(shape)))
    np.testing.assert_allclose(
        g, x.sum(extra, keepdims=False).sum(0, keepdims=True) if shape == (1, 3) else x.sum(extra)
    )
