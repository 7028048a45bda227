"""Distances between points, and the nearest of them, against SciPy's; derivatives against differences."""

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import ArgumentError, ShapeError, UnsupportedError
from funcgrad.scipy.cluster.vq import vq
from funcgrad.scipy.spatial import distance
from funcgrad.testing import check_grads

scipy = pytest.importorskip("scipy.spatial.distance")
RNG = np.random.default_rng(0)
X, Y = RNG.standard_normal((6, 3)), RNG.standard_normal((4, 3))
W = np.array([0.5, 1.2, 0.8])
METRICS = [
    ("euclidean", {}), ("euclidean", {"w": W}), ("sqeuclidean", {}), ("cityblock", {}), ("chebyshev", {}),
    ("minkowski", {"p": 3.0}), ("minkowski", {"p": 1.5, "w": W}), ("cosine", {}), ("correlation", {}), ("canberra", {}),
    ("braycurtis", {}), ("seuclidean", {"V": W}), ("seuclidean", {}), ("mahalanobis", {"VI": np.diag(W)}),
    ("mahalanobis", {}),
]  # fmt: skip


def close(found, expected):
    assert found.shape == expected.shape
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("metric, options", METRICS, ids=[f"{m} {' '.join(o)}" for m, o in METRICS])
def test_metrics(metric, options):
    close(distance.cdist(X, Y, metric, **options), scipy.cdist(X, Y, metric, **options))
    close(distance.pdist(X, metric, **options), scipy.pdist(X, metric, **options))
    names = list(options)

    def f(x, y, *values):
        return distance.cdist(x, y, metric, **dict(zip(names, values, strict=True)))

    args = (X, Y, *options.values())
    check_grads(f, args, order=1)
    close(fg.jit(f)(*args), np.asarray(f(*args)))
    close(fg.vmap(lambda x: f(x, *args[1:]))(np.stack([X, X]))[1], np.asarray(f(*args)))
    check_grads(lambda x: distance.pdist(x, metric, **options), (X,), order=1)


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "minkowski", "chebyshev"])
def test_the_derivative_at_distance_zero_is_zero(metric):
    options = {"p": 1.5} if metric == "minkowski" else {}
    f = lambda y: fnp.sum(distance.cdist(X[:1], y, metric, **options))
    np.testing.assert_array_equal(np.asarray(fg.grad(f)(X[:1])), np.zeros((1, 3)))


def test_squareform():
    pairs = scipy.pdist(X)
    close(distance.squareform(pairs), scipy.squareform(pairs))
    close(distance.squareform(scipy.squareform(pairs)), pairs)
    check_grads(distance.squareform, (pairs,), order=1)
    with pytest.raises(ValueError, match="4 elements"):
        distance.squareform(np.ones(4))


def test_the_nearest_code():
    quantised = pytest.importorskip("scipy.cluster.vq")
    for x, y in ((X, Y), (X[:, 0], Y[:, 0])):
        for found, expected in zip(vq(x, y), quantised.vq(x, y), strict=True):
            close(found, expected)
        check_grads(lambda x, y: vq(x, y)[1], (x, y), order=1)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: distance.cdist(X, Y[:, :2]), ShapeError, "different dimensions"),
        (lambda: distance.cdist(X[0], Y), ShapeError, "point in each row"),
        (lambda: distance.pdist(X * 1j), ArgumentError, "real numbers"),
        (lambda: distance.pdist(X, "hamming"), UnsupportedError, "no derivative"),
        (lambda: distance.pdist(X, lambda x, y: 0.0), UnsupportedError, "vmap"),
        (lambda: distance.pdist(X, "none"), ValueError, "unknown"),
        (lambda: vq(X, Y[0]), ShapeError, "two matrices"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
