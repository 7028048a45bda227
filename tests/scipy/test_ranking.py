"""Ranks, modes and errors of means against SciPy's."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.scipy.stats import mode, rankdata, sem
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(0)
ARRAYS = {
    "vector": RNG.integers(0, 4, 9),
    "matrix": RNG.integers(0, 4, (5, 4)) / 2,
    "cube": RNG.integers(0, 3, (3, 4, 2)),
    "nan": np.array([[1.0, np.nan, 2.0], [1.0, np.nan, 3.0]]),
    "empty": np.zeros((0, 2)),
}
CASES = [(name, axis) for name, a in ARRAYS.items() for axis in (None, *range(-1, a.ndim))]


def quietly(f, *args, **kwargs):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return f(*args, **kwargs)


@pytest.mark.parametrize("name, axis", CASES)
def test_against_scipy(name, axis):
    a = ARRAYS[name]
    for method in ("average", "min", "max", "dense", "ordinal"):
        expected = reference.rankdata(a, method, axis=axis)
        np.testing.assert_array_equal(rankdata(a, method, axis=axis), expected)
        np.testing.assert_array_equal(fg.jit(lambda x, m=method: rankdata(x, m, axis=axis))(a), expected)
    for keepdims in (True, False):
        expected = quietly(reference.mode, a, axis=axis, keepdims=keepdims)
        found = mode(a, axis=axis, keepdims=keepdims)
        np.testing.assert_array_equal(found.mode, np.reshape(expected.mode, found.mode.shape))
        np.testing.assert_array_equal(found.count, np.reshape(expected.count, found.count.shape))
        assert found.mode.shape == np.max(np.ones(a.shape), axis=axis, keepdims=keepdims, initial=0).shape
        if a.size:
            for ddof in (0, 1):
                np.testing.assert_allclose(
                    quietly(sem, a, axis=axis, ddof=ddof, keepdims=keepdims),
                    quietly(reference.sem, a, axis=axis, ddof=ddof, keepdims=keepdims),
                    rtol=1e-12,
                )


def test_sem_without_nans():
    a = np.array([[1.0, np.nan, 2.0, 5.0], [1.0, 4.0, 3.0, 2.5]])
    for axis in (None, 1):
        np.testing.assert_allclose(
            sem(a, axis=axis, nan_policy="omit"), reference.sem(a, axis=axis, nan_policy="omit"), rtol=1e-12
        )


def test_derivatives():
    a = np.array([[1.0, 3.0, 2.0], [0.5, 4.0, 3.5]])
    check_grads(lambda x: sem(x, axis=1), (a,), order=2)
    np.testing.assert_array_equal(fg.grad(lambda x: mode(x)[0])(np.array([2.0, 1.0, 2.0])).sum(), 1.0)
    np.testing.assert_array_equal(fg.grad(lambda x: rankdata(x).sum())(a), np.zeros((2, 3)))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: rankdata([1.0], "first"), ArgumentError, "method must be one of"),
        (lambda: rankdata([1.0], nan_policy="omit"), UnsupportedError, "rankdata: nan_policy='omit'"),
        (lambda: mode([1.0], nan_policy="raise"), UnsupportedError, "mode: nan_policy='raise'"),
        (lambda: sem([1.0], nan_policy="skip"), ArgumentError, "sem: nan_policy must be"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
