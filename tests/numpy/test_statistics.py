"""Averages, covariances and correlations against NumPy and finite differences."""

import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 7.0], [2.5, 6.0, 1.0, -3.0]])
W = np.array([[1.0, 2.0, 0.5, 1.0], [0.0, 1.0, 3.0, 1.0], [2.0, 1.0, 1.0, 0.25]])


def same(ours, theirs):
    assert isinstance(ours, fg.Array) and ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "axis, weights",
    [(None, None), (0, None), (None, W), (1, W), ((0, 1), W), (1, W[0]), (0, W[:, 0]), (-1, W[1]), ((1, 0), W.T)],
)
@pytest.mark.parametrize("keepdims", [False, True])
def test_average(axis, weights, keepdims):
    for x in (A, A.astype("f4"), A.astype(int)):
        options = {"axis": axis, "weights": weights, "keepdims": keepdims}
        same(fnp.average(x, **options), np.average(x, **options))
        for ours, theirs in zip(
            fnp.average(x, returned=True, **options), np.average(x, returned=True, **options), strict=True
        ):
            same(ours, theirs)
    if weights is None:
        check_grads(lambda x: fnp.average(x, axis), (A,))
    else:
        check_grads(lambda x, w: fnp.average(x, axis, w, keepdims=keepdims), (A, weights), order=2)


def test_average_mistakes():
    with pytest.raises(ZeroDivisionError):
        fnp.average(A, weights=0 * W)
    with pytest.raises(ZeroDivisionError):
        fg.grad(lambda w: fnp.average(A[0], weights=w))(np.zeros(4))
    with pytest.raises(TypeError, match="Axis"):
        fnp.average(A, weights=W[0])
    with pytest.raises(ValueError, match="Shape of weights"):
        fnp.average(A, axis=0, weights=W[0])
    assert fg.eval_shape(lambda w: fnp.average(A, weights=w), W).shape == ()


F, G = np.array([1, 2, 0, 3]), np.array([0.5, 1.0, 2.0, 0.25])


@pytest.mark.parametrize(
    "options",
    [{}, {"rowvar": False}, {"bias": True}, {"ddof": 2}, {"y": A[:1]}, {"y": A[1:] ** 2}, {"fweights": F},
     {"aweights": G}, {"fweights": F, "aweights": G}, {"fweights": F, "aweights": G, "ddof": 0}, {"dtype": "f4"}],
    ids=lambda o: ",".join(o),
)  # fmt: skip
def test_cov(options):
    for x in (A, A.astype("f4"), A.astype(int), A + 1j * A[::-1]):
        if "dtype" in options and x.dtype.kind == "c":
            continue
        same(fnp.cov(x, **options), np.cov(x, **options))
    if "dtype" not in options:
        check_grads(lambda x: fnp.cov(x, **options), (A,), order=2)


def test_cov_of_one_variable_and_by_weights():
    same(fnp.cov(A[0]), np.cov(A[0]))
    same(fnp.cov(A[0], A[1]), np.cov(A[0], A[1]))
    same(fnp.cov(A[0], rowvar=False), np.cov(A[0], rowvar=False))
    same(fnp.cov(A[0], A[1], rowvar=False), np.cov(A[0], A[1], rowvar=False))
    check_grads(lambda w: fnp.cov(A, aweights=w), (G,), order=2)
    check_grads(lambda x, y: fnp.cov(x, y), (A[0], A[1]), order=2)
    check_grads(lambda x, y: fnp.cov(x, y), (A[0] + 1j * A[1], A[1] + 1j * A[2]), order=2)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: fnp.cov(A, ddof=0.5), ValueError),
        (lambda: fnp.cov(A[None]), ValueError),
        (lambda: fnp.cov(A, fweights=G), TypeError),
        (lambda: fnp.cov(A, fweights=-F), ValueError),
        (lambda: fnp.cov(A, aweights=W), RuntimeError),
        (lambda: fnp.cov(A, aweights=G[1:]), RuntimeError),
    ],
)
def test_cov_mistakes(call, error):
    with pytest.raises(error):
        call()


def test_cov_without_freedom_warns():
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        ours = fnp.cov(A[:, :1])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        np.testing.assert_array_equal(ours, np.cov(A[:, :1]))


@pytest.mark.parametrize("options", [{}, {"rowvar": False}, {"y": A[1:] ** 2}], ids=lambda o: ",".join(o))
def test_corrcoef(options):
    for x in (A, A.astype("f4"), A + 1j * A[::-1]):
        same(fnp.corrcoef(x, **options), np.corrcoef(x, **options))
    same(fnp.corrcoef(A[0], A[1]), np.corrcoef(A[0], A[1]))
    assert float(fnp.corrcoef(A[0])) == 1
    check_grads(lambda x: fnp.corrcoef(x, **options), (A,), order=2)


def test_corrcoef_stays_in_range():
    x = np.array([0.1, 0.2, 0.7])
    c = np.asarray(fnp.corrcoef(x, 3 * x))
    assert c.max() <= 1
    np.testing.assert_allclose(fg.grad(lambda x: fnp.corrcoef(x, 3 * x)[0, 1])(x), 0, atol=1e-12)
