"""Set functions: NumPy's values, with gradients to the elements that were picked."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import NoValueError

X = np.array([[3.0, 1.0, 3.0], [2.0, 1.0, 5.0]])
Y = np.array([2.0, 7.0, 3.0])
NAN = np.array([np.nan, 1.0, np.nan, 1.0])


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("x", [X, X[:, [0, 1, 0]], X.astype(int), NAN[None]], ids=str)
def test_unique(x, axis):
    names = ("return_index", "return_inverse", "return_counts")
    np.testing.assert_array_equal(fnp.unique(x, axis=axis), np.unique(x, axis=axis))
    for k in range(1, 8):
        options = {n: bool(k >> i & 1) for i, n in enumerate(names)}
        for ours, theirs in zip(fnp.unique(x, axis=axis, **options), np.unique(x, axis=axis, **options), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_unique_gradient_goes_to_the_first():
    np.testing.assert_array_equal(fg.grad(lambda x: (np.unique(x) * [1, 2, 3, 4]).sum())(X), [[3, 1, 0], [2, 0, 4]])
    np.testing.assert_array_equal(fg.grad(lambda x: np.unique(x, axis=1)[0].sum())(X), [[1, 1, 1], [0, 0, 0]])
    with pytest.raises(NoValueError, match="unique"):
        fg.make_tape(fnp.unique)(X)


@pytest.mark.parametrize("name", ["unique_all", "unique_counts", "unique_inverse", "unique_values"])
@pytest.mark.parametrize("x", [X, NAN])
def test_unique_of_the_array_api(name, x):
    ours, theirs = getattr(fnp, name)(x), getattr(np, name)(x)
    if name == "unique_values":
        np.testing.assert_array_equal(ours, np.sort(theirs))
        return
    assert ours._fields == theirs._fields
    for field in ours._fields:
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))


@pytest.mark.parametrize("name", ["union1d", "intersect1d", "setdiff1d", "setxor1d"])
def test_sets(name):
    ours, theirs = getattr(fnp, name), getattr(np, name)
    for a, b in ((X, Y), (Y, X), (X, Y[:0]), (X.astype(int), Y)):
        out = ours(a, b)
        assert out.dtype == theirs(a, b).dtype
        np.testing.assert_array_equal(out, theirs(a, b))
        np.testing.assert_array_equal(theirs(fnp.asarray(a), b), theirs(a, b))
    if name != "union1d":
        np.testing.assert_array_equal(ours(Y, X[0, :2], assume_unique=True), theirs(Y, X[0, :2], assume_unique=True))


@pytest.mark.parametrize(
    "name, of_x, of_y",
    [
        ("union1d", [[1, 1, 0], [1, 0, 1]], [0, 1, 0]),
        ("intersect1d", [[1, 0, 0], [1, 0, 0]], [0, 0, 0]),
        ("setdiff1d", [[0, 1, 0], [0, 0, 1]], [0, 0, 0]),
        ("setxor1d", [[0, 1, 0], [0, 0, 1]], [0, 1, 0]),
    ],
)
def test_gradients_of_sets(name, of_x, of_y):
    gx, gy = fg.grad(lambda x, y: getattr(np, name)(x, y).sum(), (0, 1))(X, Y)
    np.testing.assert_array_equal(gx, of_x)
    np.testing.assert_array_equal(gy, of_y)


def test_intersection_with_indices():
    ours, theirs = fnp.intersect1d(X, Y, return_indices=True), np.intersect1d(X, Y, return_indices=True)
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("invert", [False, True])
def test_isin(invert):
    np.testing.assert_array_equal(fnp.isin(X, [1, 5], invert=invert), np.isin(X, [1, 5], invert=invert))
    np.testing.assert_array_equal(fg.grad(lambda x: (x * np.isin(x, Y)).sum())(X), np.isin(X, Y))
