"""Medians and quantiles against NumPy for values, against finite differences and jax for derivatives."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 7.0], [2.5, 6.0, 1.0, -3.0]])
HOLES = np.where(np.array([[0, 1, 0, 0], [0, 0, 0, 0], [1, 0, 0, 1]], bool), np.nan, A)
INTERPOLATING = [
    "linear", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased",
]  # fmt: skip
METHODS = [
    *INTERPOLATING, "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "lower", "higher", "midpoint",
    "nearest",
]  # fmt: skip
OPTIONS = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (1, 0)}, {"axis": (0, 1), "keepdims": True}]


def same(ours, theirs):
    assert isinstance(ours, fg.Array) and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6, atol=1e-15)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_median(name, options):
    for x in (A, A[:, :3], A.astype("f4"), A.astype(int), HOLES):
        same(getattr(fnp, name)(x, **options), getattr(np, name)(x, **options))
    check_grads(lambda x: getattr(fnp, name)(x, **options), (A,), order=2)


def test_median_at_ties_and_nan_is_that_of_jax():
    assert fg.grad(fnp.median)(np.array([1.0, 3.0, 3.0, 2.0])).tolist() == [0, 0.5, 0, 0.5]
    assert fg.grad(fnp.median)(np.array([1.0, np.nan, 3.0, 2.0])).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("q", [0, 0.3, 1.0, np.float64(0.5), [0.0, 0.25, 0.6, 1.0], [[0.1, 0.9]]], ids=str)
def test_quantile(method, q):
    for options in OPTIONS:
        same(fnp.quantile(A, q, method=method, **options), np.quantile(A, q, method=method, **options))
        same(fnp.percentile(A, 100 * np.asarray(q), method=method, **options),
             np.percentile(A, 100 * np.asarray(q), method=method, **options))  # fmt: skip
        same(fnp.nanquantile(HOLES, q, method=method, **options), np.nanquantile(HOLES, q, method=method, **options))


@pytest.mark.parametrize("method", METHODS)
def test_derivative_by_the_elements(method):
    q = np.array([0.0, 0.3, 0.55, 1.0])
    check_grads(lambda x: fnp.quantile(x, q, axis=1, method=method), (A,), order=2)
    tangent = fg.jvp(lambda x: fnp.nanquantile(x, q, axis=0, method=method), (HOLES,), (np.ones_like(A),))[1]
    np.testing.assert_allclose(np.asarray(tangent), np.ones((4, 4)))  # a quantile moves with all its elements


@pytest.mark.parametrize("method", INTERPOLATING)
def test_derivative_by_q(method):
    check_grads(lambda q: fnp.quantile(A, q, axis=1, method=method), (np.array([0.3, 0.57]),), order=2)
    check_grads(lambda q: fnp.nanquantile(HOLES, q, axis=1, method=method), (np.array([0.31, 0.57]),), order=1)
    assert fg.grad(lambda q: fnp.quantile(np.array([1.0, 3.0, 7.0]), q))(0.3) == 4  # as jax


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "?"])
def test_dtypes_are_numpys(dtype):
    x = A[0].astype(dtype)
    for q in (0.3, np.float32(0.3), np.float64(0.3), [0.3]):
        for method in ("linear", "lower", "midpoint") if dtype != "?" else ("lower",):
            assert fnp.quantile(x, q, method=method).dtype == np.quantile(x, q, method=method).dtype
    assert fnp.median(x).dtype == np.median(x).dtype


@pytest.mark.parametrize("q", [0.0, 0.4, [0.2, 1.0]], ids=str)
@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
def test_weights(name, q):
    x = A if name == "quantile" else HOLES
    ours, theirs = getattr(fnp, name), getattr(np, name)
    each = np.array([[0.0, 1.0, 2.0, 1.0], [3.0, 1.0, 1.0, 0.5], [0.0, 0.0, 1.0, 1.0]])
    for weights, axis in ((each, None), (each, 1), (each[0], 1)):
        options = {"axis": axis, "weights": weights, "method": "inverted_cdf"}
        if weights is not each and name == "nanquantile":  # where NumPy fails
            weights = np.broadcast_to(weights, x.shape)
        same(ours(x, q, **options), theirs(x, q, axis=axis, weights=weights, method="inverted_cdf"))
    with pytest.raises(ValueError, match="inverted_cdf"):
        ours(x, q, weights=each)


def test_nan_comes_through():
    same(fnp.quantile(HOLES, [0.2, 0.7], axis=0), np.quantile(HOLES, [0.2, 0.7], axis=0))
    with pytest.warns(RuntimeWarning, match="All-NaN slice"):
        assert np.isnan(float(fnp.nanmedian(np.full(2, np.nan))))


def test_works_on_shapes_only():
    kind = fg.eval_shape(lambda x, q: (fnp.quantile(x, q, 0), fnp.nanmedian(x, 1)), A, np.array([0.1, 0.2]))
    assert [k.shape for k in kind] == [(2, 4), (3,)]


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: fnp.quantile(A, 1.5), r"range \[0, 1\]"),
        (lambda: fnp.percentile(A, [50, -1]), r"range \[0, 100\]"),
        (lambda: fnp.quantile(A, 0.5, method="best"), "not a valid method"),
        (lambda: fnp.quantile(np.zeros((0, 2)), 0.5), "no element"),
        (lambda: fnp.quantile(A, 0.5, weights=np.ones(7), method="inverted_cdf"), "weights"),
    ],
)
def test_mistakes(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_complex_numbers_have_no_order():
    with pytest.raises(TypeError, match="real"):
        fnp.quantile(A + 1j, 0.5)
