"""Distributions of vectors against SciPy's, and their derivatives against differences and closed forms."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ShapeError, UnsupportedError
from funcgrad.scipy.stats import dirichlet, multinomial, multivariate_normal
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.stats")

MEAN, COV = np.array([1.0, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
X = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
SPREAD = np.array([[1.0, 0.2], [0.5, 1.3], [-0.4, 0.8]])
SINGULAR = SPREAD @ SPREAD.T


def close(found, expected, rtol=1e-10):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=1e-13)


def test_normal():
    theirs = reference.multivariate_normal
    close(multivariate_normal.logpdf(X, MEAN, COV), theirs.logpdf(X, MEAN, COV))
    close(multivariate_normal.pdf(X[0], MEAN, COV), theirs.pdf(X[0], MEAN, COV))
    close(multivariate_normal.logpdf(X, MEAN, 2.0), theirs.logpdf(X, MEAN, 2.0))
    close(multivariate_normal.logpdf(X, MEAN, [2.0, 3.0]), theirs.logpdf(X, MEAN, [2.0, 3.0]))
    close(multivariate_normal.logpdf(X[:, 0], 0.5, 2.0), theirs.logpdf(X[:, 0], 0.5, 2.0))  # of numbers
    close(multivariate_normal.logpdf(1.0), theirs.logpdf(1.0))
    for args in ((MEAN, COV), (0.5, 2.0), (MEAN, 2.0)):
        close(multivariate_normal.entropy(*args), theirs.entropy(*args))
    check_grads(multivariate_normal.logpdf, (X, MEAN, COV), order=1)
    check_grads(lambda c: multivariate_normal.entropy(MEAN, c + c.T), (COV,), order=2)
    with pytest.raises(ShapeError, match="multivariate_normal"):
        multivariate_normal.logpdf(X, np.ones(3), COV)
    with pytest.raises(UnsupportedError, match="no cdf and no logcdf"):
        multivariate_normal.logcdf(X, MEAN, COV)


def test_singular_normal():
    """On the space that the covariance spans, and nothing elsewhere."""
    theirs, inside = reference.multivariate_normal, SPREAD @ np.array([0.3, -0.7])
    mean = SPREAD @ np.array([0.1, 0.2])
    points = np.stack([inside, mean, inside + np.array([0.1, 0, 0])])
    expected = theirs.logpdf(points, mean, SINGULAR, allow_singular=True)
    assert np.isneginf(expected[2])
    found = multivariate_normal.logpdf(points, mean, SINGULAR, allow_singular=True)
    close(found, expected)
    close(fg.jit(lambda c: multivariate_normal.logpdf(points, mean, c, True))(SINGULAR), expected)
    close(multivariate_normal.logpdf(X, MEAN, COV, allow_singular=True), theirs.logpdf(X, MEAN, COV))

    def moved(a, u):  # a density that stays on its space
        return multivariate_normal.logpdf(SPREAD @ u, mean, SPREAD @ a @ a.T @ SPREAD.T, allow_singular=True)

    check_grads(moved, (np.array([[1.1, 0.2], [0.1, 0.9]]), np.array([0.3, -0.7])), order=2)
    full = fg.grad(lambda c: multivariate_normal.logpdf(X[0], MEAN, c + c.T))(COV)
    close(fg.grad(lambda c: multivariate_normal.logpdf(X[0], MEAN, c + c.T, True))(COV), full)


def test_dirichlet():
    alpha, x = np.array([0.7, 2.0, 3.5]), np.array([[0.2, 0.1], [0.3, 0.6], [0.5, 0.3]])
    close(dirichlet.logpdf(x, alpha), reference.dirichlet.logpdf(x, alpha))
    close(dirichlet.pdf(x[:, 0], alpha), reference.dirichlet.pdf(x[:, 0], alpha))
    close(dirichlet.logpdf(x[:2, 0], alpha), reference.dirichlet.logpdf(x[:2, 0], alpha))
    check_grads(lambda y, a: dirichlet.logpdf(y / y.sum(0), a), (x * 2, alpha), order=2)
    outside = np.array([0.5, 0.6, 0.3])
    assert float(dirichlet.logpdf(outside, alpha)) == -np.inf
    np.testing.assert_array_equal(fg.grad(dirichlet.logpdf, 1)(outside, alpha), np.zeros(3))
    assert np.isnan(float(dirichlet.logpdf(x[:, 0], [1.0, -1.0, 2.0])))
    with pytest.raises(ShapeError, match="dirichlet"):
        dirichlet.logpdf(x, np.ones(5))


def test_multinomial():
    x, p = np.array([[1, 2, 3], [0, 6, 0]]), np.array([0.2, 0.5, 0.3])
    close(multinomial.logpmf(x, 6, p), reference.multinomial.logpmf(x, 6, p))
    close(multinomial.pmf(x[0], 6, p), reference.multinomial.pmf(x[0], 6, p))
    close(multinomial.logpmf([1, 0], 1, [1.0, 0.0]), 0.0)
    assert float(multinomial.logpmf([1, 2], 4, [0.5, 0.5])) == -np.inf
    assert float(multinomial.pmf([-1, 2], 1, [0.5, 0.5])) == 0
    assert np.isnan(float(multinomial.logpmf([1, 2], 3, [1.5, -0.5])))
    close(fg.grad(multinomial.logpmf, 2)(x[0].astype(float), 6.0, p), x[0] / p)
    check_grads(lambda z: multinomial.logpmf(x[0], 6, np.exp(z) / np.exp(z).sum()), (np.log(p),), order=2)
    close(fg.vmap(multinomial.logpmf, (0, None, None))(x, 6, p), reference.multinomial.logpmf(x, 6, p))
