"""Distributions against SciPy's, and their derivatives against finite differences."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, ShapeError, UnsupportedError
from funcgrad.scipy import stats
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.stats")

SHAPES = {"gamma": (2.5,), "chi2": (3.0,), "beta": (2.0, 3.5), "t": (4.0,)}
CONTINUOUS = ["norm", "uniform", "expon", "laplace", "logistic", "cauchy", *SHAPES]
X = np.array([-1.5, 0.3, 0.7, 2.4])
Q = np.array([0.05, 0.4, 0.9])


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous(name):
    ours, theirs, shapes = getattr(stats, name), getattr(reference, name), SHAPES.get(name, ())
    for args in (shapes, (*shapes, 0.2), (*shapes, 0.2, 1.7)):
        for what in ("logpdf", "pdf", *(() if name in ("t", "beta") else ("cdf", "sf", "logcdf", "logsf"))):
            with np.errstate(divide="ignore"):
                close(getattr(ours, what)(X, *args), getattr(theirs, what)(X, *args))
        if name not in SHAPES:
            close(ours.ppf(Q, *args), theirs.ppf(Q, *args))
            close(ours.isf(Q, *args), theirs.isf(Q, *args))
    close(ours.logpdf(X, *shapes, scale=2.0), theirs.logpdf(X, *shapes, scale=2.0))
    inside = np.array([0.3, 0.7])
    check_grads(ours.logpdf, (inside, *shapes, 0.1, 1.5), order=2)


def test_the_gradient_outside_the_support_is_zero():
    """Not NaN: 0 · log(-1) appears nowhere."""
    np.testing.assert_array_equal(
        fg.grad(lambda a: stats.gamma.pdf(X[:2], a).sum())(2.5), fg.grad(stats.gamma.pdf, 1)(0.3, 2.5)
    )
    np.testing.assert_array_equal(fg.vmap(fg.grad(stats.beta.pdf), (0, None, None))(X[[0, 3]], 2.0, 3.0), np.zeros(2))


@pytest.mark.parametrize("name, shape", [("bernoulli", 0.3), ("poisson", 2.5)])
def test_discrete(name, shape):
    ours, theirs = getattr(stats, name), getattr(reference, name)
    k = np.array([-1, 0, 1, 2, 7])
    for args in ((shape,), (shape, 1)):
        close(ours.logpmf(k, *args), theirs.logpmf(k, *args))
        close(ours.pmf(k, *args), theirs.pmf(k, *args))
    assert float(ours.pmf(0.5, shape)) == 0.0
    check_grads(lambda p: ours.logpmf(np.array([0, 1]), p), (shape,), order=2)


def test_tails():
    close(stats.norm.logcdf(-40.0), reference.norm.logcdf(-40.0))
    close(stats.norm.sf(10.0), reference.norm.sf(10.0))
    close(stats.expon.sf(700.0), reference.expon.sf(700.0))
    close(stats.logistic.logcdf(-1000.0), -1000.0)


def test_multivariate_normal():
    mean, cov = np.array([1.0, -1.0]), np.array([[2.0, 0.5], [0.5, 1.0]])
    x = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, -1.0]])
    ours, theirs = stats.multivariate_normal, reference.multivariate_normal
    close(ours.logpdf(x, mean, cov), theirs.logpdf(x, mean, cov))
    close(ours.pdf(x[0], mean, cov), theirs.pdf(x[0], mean, cov))
    close(ours.logpdf(x, 0.0, 2.0), theirs.logpdf(x, np.zeros(2), 2.0 * np.eye(2)))
    close(ours.logpdf(1.0), theirs.logpdf(1.0))
    check_grads(ours.logpdf, (x, mean, cov), order=1)
    with pytest.raises(ShapeError, match="multivariate_normal"):
        ours.logpdf(x, np.ones(3), cov)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: stats.gamma.logpdf(1.0), ArgumentError, "the parameters a, loc, scale"),
        (lambda: stats.norm.logpdf(1.0, sigma=2.0), ArgumentError, "sigma"),
        (lambda: stats.norm.logpdf(1.0, 2.0, loc=2.0), ArgumentError, "loc"),
        (lambda: stats.norm.logpdf(1j), ArgumentError, "norm: x must be real"),
        (lambda: stats.t.cdf(1.0, 3.0), UnsupportedError, "t has no cdf"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_names():
    assert repr(stats.gamma) == "<distribution gamma(a, loc, scale)>"
