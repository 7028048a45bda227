"""Distributions against SciPy's, and derivatives against closed forms at special points.

All derivatives are compared with differences in test_every_operand.py.
"""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.scipy import stats
from funcgrad.scipy.stats.families import Continuous, Discrete, Family
from funcgrad.testing import check_grads

reference = pytest.importorskip("scipy.stats")
table = runpy.run_path(str(Path(__file__).parents[1] / "distributions.py"))
SHAPES, POINTS = table["SHAPES"], table["POINTS"]

FAMILIES = {name: d for name, d in vars(stats).items() if isinstance(d, Family)}
CONTINUOUS = [name for name, d in FAMILIES.items() if isinstance(d, Continuous)]
PROBABILITIES = ("cdf", "sf", "logcdf", "logsf", "ppf", "isf")
METHODS = {Continuous: ("logpdf", "pdf", *PROBABILITIES), Discrete: ("logpmf", "pmf", *PROBABILITIES)}
CASES = [(name, m) for name, d in FAMILIES.items() for m in METHODS[type(d)]]

X = np.array(
    [-np.inf, -50, -6.5, -2, -1, -0.3, -1e-8, 0, 1e-9, 0.3, 0.5, 1, 1.001, 2, 3.2, 7, 11, 40, 800, np.inf, np.nan]
)
K = np.array([-np.inf, -3, -1, 0, 0.5, 1, 2, 3, 5, 8, 9, 10, 11, 60, 1000, np.inf, np.nan])
Q = np.array([-0.1, 0, 1e-3, 0.2, 0.51, 0.7, 0.999, 1, 1.1, np.nan])


def close(found, expected, rtol=1e-10, atol=1e-14):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=rtol, atol=atol)


def quietly(f, *args):
    """SciPy's value, whatever it warns of on the way."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f(*args)


def test_every_family_is_tested():
    assert set(SHAPES) == set(FAMILIES)


SCIPY_IS_COARSE = {
    # what it is searched from, or computed as one minus something that is nearly one
    ("truncnorm", "isf"): 1e-6,
    ("truncnorm", "ppf"): 1e-6,
    ("vonmises", "logcdf"): 1e-5,
    ("vonmises", "logsf"): 1e-5,
}


@pytest.mark.parametrize("name, method", CASES, ids=[f"{n}-{m}" for n, m in CASES])
def test_values(name, method):
    """Inside the support, at its ends, outside and far out, and NaN; with location and scale."""
    d, theirs = FAMILIES[name], getattr(reference, name)
    continuous = isinstance(d, Continuous)
    points = Q if method in ("ppf", "isf") else X if continuous else K
    rtol = SCIPY_IS_COARSE.get((name, method), 1e-10)
    for shapes in SHAPES[name]:
        for placed in ((), (0.25, 1.5) if continuous else (2.0,)):
            expected = quietly(getattr(theirs, method), points, *shapes, *placed)
            found = np.asarray(getattr(d, method)(points, *shapes, *placed))
            underflow = np.isneginf(expected) & (found < -700)  # of probabilities that SciPy takes logarithms of
            found = np.where(underflow, expected, found)
            np.testing.assert_allclose(found, expected, rtol=rtol, atol=1e-13, err_msg=f"{shapes} {placed}")


TAILS = np.array([1e-100, 1e-12, 0.3, 0.9])


@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles_far_out(name):
    """There the distribution function is what it was given, to full relative precision; SciPy loses digits."""
    d = FAMILIES[name]
    for shapes in SHAPES[name]:
        bounded = np.isfinite(d._ends([np.float64(s) for s in shapes]))
        for f, inverse, end in ((d.cdf, d.ppf, bounded[0]), (d.sf, d.isf, bounded[1])):
            near_end = end and name not in ("gamma", "chi2", "weibull_min", "exponweib", "expon")
            q = TAILS[2:] if near_end or name in ("t", "vonmises", "gennorm", "invgamma") else TAILS
            close(f(inverse(q, *shapes), *shapes), q, rtol=1e-8)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in CONTINUOUS])
def test_quantiles_of_integers(name):
    """The least integers that have the probability."""
    d = FAMILIES[name]
    for shapes in SHAPES[name]:
        k, l = np.asarray(d.ppf(TAILS, *shapes)), np.asarray(d.isf(TAILS, *shapes))
        assert np.all(np.asarray(d.cdf(k, *shapes)) >= TAILS) and np.all(np.asarray(d.cdf(k - 1, *shapes)) < TAILS)
        assert np.all(np.asarray(d.sf(l, *shapes)) <= TAILS) and np.all(np.asarray(d.sf(l - 1, *shapes)) > TAILS)


@pytest.mark.parametrize("name", FAMILIES)
def test_entropy(name):
    d = FAMILIES[name]
    if d._entropy is None:
        with pytest.raises(UnsupportedError, match=f"{name} has no entropy, but"):
            d.entropy(*SHAPES[name][0])
        return
    for shapes in SHAPES[name]:
        placed = (0.5, 2.0) if name in CONTINUOUS else (1.0,)
        close(d.entropy(*shapes, *placed), quietly(getattr(reference, name).entropy, *shapes, *placed), rtol=1e-8)
    shapes = SHAPES[name][0]
    if shapes:
        check_grads(d.entropy, shapes, order=1)


@pytest.mark.parametrize("name, method", CASES, ids=[f"{n}-{m}" for n, m in CASES])
def test_bad_parameters(name, method):
    """NaN, also as derivatives, beside good ones."""
    d, shapes = FAMILIES[name], SHAPES[name][0]
    f, point = getattr(d, method), np.array([0.4, 0.4])
    bad = [
        (k, -1.0)
        for k in d.shapes
        if k in ("a", "b", "p", "n", "s", "mu", "df", "beta", "kappa") and name != "truncnorm"
    ]
    bad += [("scale", -1.0), ("scale", 0.0)] if name in CONTINUOUS else []
    for k, v in bad:
        given = dict(zip(d.shapes, shapes, strict=True))
        good = given.get(k, 1.0)
        given = {p: np.array([s, s]) for p, s in given.items()} | {k: np.array([good, v])}
        out = np.asarray(f(point, **given))
        assert np.isnan(out[1]) and not np.isnan(out[0])
        close(out[0], f(point[0], *shapes))
        if name not in CONTINUOUS and method in ("ppf", "isf"):
            continue  # step functions, which have no derivatives
        slopes = fg.jacfwd(lambda v: f(point, **(given | {k: v})))(given[k])
        assert np.isnan(np.asarray(slopes)[1, 1]), k


@pytest.mark.parametrize(
    "name, method",
    [
        pytest.param(n, m, id=f"{n}-{m}", marks=[pytest.mark.slow] if m in {"ppf", *table["MIRRORED"]} else [])
        for n, m in CASES
    ],
)
def test_vmap_and_jit(name, method):
    d, shapes = FAMILIES[name], SHAPES[name][0]
    f = getattr(d, method)
    points = np.array([0.2, 0.7]) if method in ("ppf", "isf") else np.array([1.0, 2.0])
    if name in CONTINUOUS and method not in ("ppf", "isf"):
        points = POINTS.get(name, 0.35) * np.array([1.0, 1.2])
    placed = (0.0, 1.0) if name in CONTINUOUS else (0.0,)
    expected = f(points, *shapes, *placed)
    moving = [k for k, s in enumerate(d.shapes) if s not in table["COUNTS"]]
    for mapped in ([], moving):
        args = [points, *shapes, *placed]
        axes = [0] + [None] * (len(args) - 1)
        for k in mapped:
            args[1 + k], axes[1 + k] = np.full(2, args[1 + k]), 0
        counts = {k: v for k, (s, v) in enumerate(zip(d.shapes, shapes, strict=True)) if s in table["COUNTS"]}

        def of(*rest, counts=counts):
            point, *rest = rest
            for k, v in counts.items():
                rest.insert(k, v)
            return f(point, *rest)

        kept = [i for i in range(len(args)) if i - 1 not in counts]
        given, axes = [args[i] for i in kept], tuple(axes[i] for i in kept)
        close(fg.vmap(of, axes)(*given), expected)
        close(fg.jit(of)(*given), expected)
        np.testing.assert_allclose(
            fg.jit(fg.vmap(fg.grad(of), axes))(*given), fg.vmap(fg.grad(of), axes)(*given), rtol=1e-10
        )


def test_float32_stays():
    x = np.float32(0.4)
    for name, method in CASES:
        if name != "betabinom":
            f, shapes = getattr(FAMILIES[name], method), [np.float32(s) for s in SHAPES[name][0]]
            assert f(x, *shapes).dtype == np.float32, (name, method)


@pytest.mark.parametrize(
    "f, point, argument, expected",
    [
        (lambda x: stats.t.cdf(x, 4.0), 0.0, 0, reference.t.pdf(0.0, 4.0)),
        (lambda df: stats.t.cdf(0.0, df), 4.0, 0, 0.0),
        (lambda x: stats.gennorm.cdf(x, 1.3), 0.0, 0, reference.gennorm.pdf(0.0, 1.3)),
        (lambda b: stats.gennorm.cdf(0.0, b), 1.3, 0, 0.0),
        (stats.laplace.cdf, 0.0, 0, 0.5),
        (lambda c: stats.genextreme.logpdf(0.5, c), 0.0, 0, (np.exp(-0.5) - 1) / 8 + 0.5),
        (lambda c: stats.genextreme.ppf(0.3, c), 0.0, 0, -(np.log(-np.log(0.3)) ** 2) / 2),
        (lambda k: stats.vonmises.cdf(0.5, k), 0.0, 0, np.sin(0.5) / (2 * np.pi)),
        (stats.norm.logcdf, -40.0, 0, np.exp(reference.norm.logpdf(-40.0) - reference.norm.logcdf(-40.0))),
        (lambda b: stats.truncnorm.logcdf(0.5, -np.inf, b), 1.0, 0, -reference.norm.pdf(1.0) / reference.norm.cdf(1.0)),
    ],
)
def test_derivatives_at_special_points(f, point, argument, expected):
    """Where formulas have 0 · inf, or a series takes over: closed forms."""
    close(fg.grad(f, argument)(point), expected)


@pytest.mark.slow
def test_second_derivatives_of_quantiles():
    """Of a search that is differentiated by the implicit function theorem: twice."""
    for name, q in (("t", 0.7), ("invgauss", 0.6)):
        check_grads(getattr(stats, name).ppf, (q, *SHAPES[name][0], 0.1, 1.3), order=2)
    check_grads(stats.truncnorm.isf, (0.4, -1.0, 2.0), order=2)


def test_frozen():
    frozen = stats.gamma(2.5, scale=2.0)
    close(frozen.logpdf(1.3), reference.gamma(2.5, scale=2.0).logpdf(1.3))
    close(fg.grad(lambda a: stats.gamma(a).ppf(0.3))(2.5), fg.grad(stats.gamma.ppf, 1)(0.3, 2.5))
    close(stats.poisson(3.0).entropy(), reference.poisson(3.0).entropy())
    assert repr(frozen) == "<distribution gamma(2.5, scale=2.0)>"
    with pytest.raises(AttributeError, match="no 'rvs'"):
        frozen.rvs
    with pytest.raises(ArgumentError, match="the parameters a, loc, scale"):
        stats.gamma()


def test_the_gradient_outside_the_support_is_zero():
    """Not NaN: 0 · log(-1) appears nowhere."""
    np.testing.assert_array_equal(
        fg.grad(lambda a: stats.gamma.pdf(np.array([-1.5, 0.3]), a).sum())(2.5), fg.grad(stats.gamma.pdf, 1)(0.3, 2.5)
    )
    for name, outside in (("beta", 1.4), ("pareto", 0.5), ("lognorm", -1.0), ("truncnorm", 9.0), ("genextreme", 9.0)):
        d, shapes = FAMILIES[name], SHAPES[name][0]
        for method in ("pdf", "logpdf", "cdf", "logsf"):
            slopes = fg.grad(getattr(d, method), tuple(range(3 + len(shapes))))(outside, *shapes, 0.0, 1.0)
            np.testing.assert_array_equal(slopes, np.zeros(3 + len(shapes)))


def test_betabinom_sums_a_known_number():
    with pytest.raises(UnsupportedError, match="n must be known"):
        fg.jit(stats.betabinom.cdf)(1.0, 8.0, 2.0, 3.0)


def test_tails():
    close(stats.norm.logcdf(-40.0), reference.norm.logcdf(-40.0))
    close(stats.norm.sf(10.0), reference.norm.sf(10.0))
    close(stats.expon.sf(700.0), reference.expon.sf(700.0))
    close(stats.logistic.logcdf(-1000.0), -1000.0)
    close(stats.truncnorm.logsf(11.0, 10.0, 12.0), reference.truncnorm.logsf(11.0, 10.0, 12.0))
    # 50 digits of mpmath: quadrature of the density
    close(np.log(np.asarray(stats.vonmises.cdf(-1.0, 49.0))), -25.23449137258240371, rtol=1e-12)
    close(np.asarray(stats.vonmises.cdf(-0.3, 2000.0)) / 4.82175941084722769e-41, 1.0)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: stats.gamma.logpdf(1.0), ArgumentError, "the parameters a, loc, scale"),
        (lambda: stats.norm.logpdf(1.0, sigma=2.0), ArgumentError, "sigma"),
        (lambda: stats.norm.logpdf(1.0, 2.0, loc=2.0), ArgumentError, "loc"),
        (lambda: stats.norm.logpdf(1j), ArgumentError, "norm: x must be real"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_names():
    assert repr(stats.gamma) == "<distribution gamma(a, loc, scale)>"
