"""Densities estimated from samples against SciPy's, and their derivatives against differences."""

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, ShapeError, UnsupportedError
from funcgrad.scipy.stats import gaussian_kde
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.stats")
RNG = np.random.default_rng(0)
LINE, PLANE, WEIGHTS = RNG.normal(size=15), RNG.normal(size=(2, 15)), RNG.uniform(0.2, 1, 15)
POINTS = {1: np.linspace(-2, 2, 5), 2: RNG.normal(size=(2, 4))}


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("bw_method", [None, "scott", "silverman", 0.7, lambda kde: kde.neff ** (-1 / (kde.d + 4))])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
@pytest.mark.parametrize("data", [LINE, PLANE], ids=["line", "plane"])
def test_values(data, weights, bw_method):
    ours, theirs = gaussian_kde(data, bw_method, weights), reference.gaussian_kde(data, bw_method, weights)
    points = POINTS[ours.d]
    for f in ("evaluate", "pdf", "logpdf", "__call__"):
        close(getattr(ours, f)(points), getattr(theirs, f)(points))
    other, their_other = gaussian_kde(data + 0.3), reference.gaussian_kde(data + 0.3)
    close(ours.integrate_kde(other), theirs.integrate_kde(their_other))
    mean, cov = np.ones(ours.d), np.eye(ours.d) + 0.2
    close(ours.integrate_gaussian(mean, cov), theirs.integrate_gaussian(mean, cov))
    if ours.d == 1:
        close(ours.integrate_box_1d(-0.5, 1.5), theirs.integrate_box_1d(-0.5, 1.5))
    else:
        close(ours.marginal(1)(points[1]), theirs.marginal(1)(points[1]))
        close(ours.marginal([1, 0])(points), theirs.marginal([1, 0])(points))


def test_derivatives():
    for data in (LINE, PLANE):
        points = POINTS[np.atleast_2d(data).shape[0]]
        check_grads(lambda d, w, h, p: gaussian_kde(d, h, w).logpdf(p), (data, WEIGHTS, 0.6, points), order=1)
        check_grads(
            lambda d, w: gaussian_kde(d, None, w).integrate_kde(gaussian_kde(d * 1.1)), (data, WEIGHTS), order=1
        )
    check_grads(lambda d, a, b: gaussian_kde(d).integrate_box_1d(a, b), (LINE, -0.5, 1.5), order=2)


def test_transforms():
    kde = gaussian_kde(PLANE)
    close(fg.jit(lambda k, x: k.evaluate(x))(kde, POINTS[2]), kde(POINTS[2]))
    lines = np.stack([LINE, LINE * 2])
    close(fg.vmap(lambda d: gaussian_kde(d).logpdf(POINTS[1]))(lines)[1], gaussian_kde(lines[1]).logpdf(POINTS[1]))
    assert np.isfinite(np.asarray(gaussian_kde(LINE).logpdf(100.0))).all()  # where the density is zero


def test_resample():
    kde = gaussian_kde(PLANE, weights=WEIGHTS)
    for shape in ((), (4,), (2, 5)):
        assert kde.resample(fg.random.key(0), shape).shape == (2, *shape)
    drawn = np.asarray(kde.resample(fg.random.key(1), (4000,)))
    mean = PLANE @ WEIGHTS / WEIGHTS.sum()
    np.testing.assert_allclose(drawn.mean(axis=1), mean, atol=5 * drawn.std() / np.sqrt(4000))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: gaussian_kde([1.0]), ShapeError, "more than one"),
        (lambda: gaussian_kde(LINE, weights=np.ones(3)), ShapeError, "a vector of 15"),
        (lambda: gaussian_kde(LINE, "other"), ArgumentError, "'scott', 'silverman'"),
        (lambda: gaussian_kde(LINE * 1j), ArgumentError, "must be real"),
        (lambda: gaussian_kde(PLANE)(np.ones((3, 4))), ShapeError, "must have 2 rows"),
        (lambda: gaussian_kde(PLANE).integrate_box_1d(0.0, 1.0), ShapeError, "one dimension"),
        (lambda: gaussian_kde(PLANE).integrate_kde(gaussian_kde(LINE)), ShapeError, "has 1 dimensions"),
        (lambda: gaussian_kde(PLANE).integrate_gaussian(1.0, 1.0), ShapeError, "must have the shapes"),
        (lambda: gaussian_kde(PLANE).marginal([0, 0]), ArgumentError, "different integers"),
        (lambda: gaussian_kde(PLANE).integrate_box([0, 0], [1, 1]), UnsupportedError, "integrate_box_1d"),
        (lambda: gaussian_kde(PLANE).set_bandwidth(1.0), UnsupportedError, "another one"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()
