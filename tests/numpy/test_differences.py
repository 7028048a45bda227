"""Differences, grid gradients and the trapezoidal rule against NumPy and finite differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.testing import check_grads

A = np.array([[1.5, -2.0, 3.0, 0.5], [0.25, 4.0, -1.0, 7.0], [2.5, 6.0, 1.0, -3.0]])
X = np.array([0.0, 0.5, 2.0, 2.25])


def same(ours, theirs):
    assert isinstance(ours, fg.Array) and ours.dtype == np.asarray(theirs).dtype and ours.shape == np.shape(theirs)
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-6)


@pytest.mark.parametrize(
    "options",
    [{}, {"axis": 0}, {"n": 2}, {"n": 0}, {"n": 5}, {"n": 2, "axis": 0, "prepend": 1.0}, {"append": A[:, :2]},
     {"prepend": A[:, :1], "append": 0.5}],
    ids=lambda o: ",".join(o),
)  # fmt: skip
def test_diff(options):
    for x in (A, A.astype("f4"), A > 0, A.astype("u1")) if len(options) < 2 else (A,):
        with np.errstate(over="ignore", invalid="ignore"):
            same(fnp.diff(x, **options), np.diff(x, **options))
    check_grads(lambda x: fnp.diff(x, **options), (A,), order=2)


def test_diff_by_the_ends():
    check_grads(lambda x, a, b: fnp.diff(x, prepend=a, append=b), (A, np.float64(2.0), A[:, :2]), order=2)


def test_diff_mistakes():
    with pytest.raises(ValueError, match="non-negative"):
        fnp.diff(A, -1)
    with pytest.raises(ValueError, match="one dimensional"):
        fnp.diff(1.0)


def test_diff_of_zero_times_is_a_copy():
    x = np.ones(2)
    y = fnp.diff(x, 0)
    x[0] = 5
    assert y.tolist() == [1, 1]


@pytest.mark.parametrize("options", [{}, {"to_end": 1.0}, {"to_begin": [2.0, 3.0], "to_end": A}], ids=str)
def test_ediff1d(options):
    same(fnp.ediff1d(A, **options), np.ediff1d(A, **options))
    check_grads(lambda x: fnp.ediff1d(x, **options), (A,), order=2)
    with pytest.raises(TypeError, match="same_kind"):
        fnp.ediff1d(np.array([1, 2]), to_end=0.5)


@pytest.mark.parametrize("edge_order", [1, 2])
@pytest.mark.parametrize(
    "spacing, axis",
    [((), None), ((0.5,), None), ((0.5, 2.0), None), ((), 1), ((X,), 1), ((X[:3], 0.5), None), ((X, X[:3]), (1, 0)),
     ((np.arange(4.0),), -1), (([0, 1, 3],), 0)],
)  # fmt: skip
def test_gradient(spacing, axis, edge_order):
    options = {"axis": axis, "edge_order": edge_order}
    for x in (A, A.astype("f4"), A.astype(int)):
        ours, theirs = fnp.gradient(x, *spacing, **options), np.gradient(x, *spacing, **options)
        if not isinstance(ours, tuple):
            ours, theirs = (ours,), (theirs,)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5)
    check_grads(lambda x: fnp.gradient(x, *spacing, **options), (A,), order=2)


def test_gradient_of_one_axis_and_dtype():
    for x in (A[0], A[0].astype("f4"), A[0].astype(int)):
        for spacing in ((), (2.0,), (X,)):
            same(fnp.gradient(x, *spacing), np.gradient(x, *spacing))
    same(fnp.gradient(A[0, :2]), np.gradient(A[0, :2]))


@pytest.mark.parametrize("edge_order", [1, 2])
def test_gradient_by_the_spacing(edge_order):
    check_grads(lambda h: fnp.gradient(A, h, edge_order=edge_order), (np.float64(0.5),), order=2)
    check_grads(lambda x: fnp.gradient(A, x, axis=1, edge_order=edge_order), (X,), order=2)
    check_grads(lambda x: fnp.gradient(A[0], x, edge_order=edge_order), (np.arange(4.0),), order=2)


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: fnp.gradient(A, 1.0, 2.0, 3.0), TypeError),
        (lambda: fnp.gradient(A, X), TypeError),
        (lambda: fnp.gradient(A, X[:3], axis=1), ValueError),
        (lambda: fnp.gradient(A, A, axis=1), ValueError),
        (lambda: fnp.gradient(A[0, :1]), ValueError),
        (lambda: fnp.gradient(A, edge_order=3), ValueError),
    ],
)
def test_gradient_mistakes(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    "options", [{}, {"dx": 0.5}, {"axis": 0}, {"x": X}, {"x": A + 3}, {"x": X[:3], "axis": 0}], ids=str
)
def test_trapezoid(options):
    for y in (A, A.astype("f4"), A.astype(int)):
        same(fnp.trapezoid(y, **options), np.trapezoid(y, **options))
    check_grads(lambda y: fnp.trapezoid(y, **options), (A,), order=2)
    if "x" in options:
        check_grads(lambda y, x: fnp.trapezoid(y, **{**options, "x": x}), (A, options["x"]), order=2)


@pytest.mark.parametrize("axis, shape", [(-2, (3, 10)), (-1, (3, 10)), (-1, (10,)), (0, (2, 3, 10)), (-3, (2, 1, 1))])
def test_trapezoid_over_places_of_fewer_axes(axis, shape):
    rng = np.random.default_rng(0)
    y, x = rng.normal(size=(2, 3, 10)), np.cumsum(rng.uniform(size=shape), axis=axis)
    f = lambda y, x, m=fnp: m.trapezoid(y, x, axis=axis)
    np.testing.assert_allclose(f(y, x), f(y, x, np), rtol=1e-12)
    check_grads(f, (y, x), order=1)
