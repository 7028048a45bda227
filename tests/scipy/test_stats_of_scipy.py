"""SciPy's own scipy.stats with traced values: an error that names the function that has the derivative, or the value.

docs/scipy.md has a run over the functions of scipy.stats; here are the methods of all distributions, and all operands.
"""

import inspect
import re
import warnings

import numpy as np
import pytest

import funcgrad as fg
import funcgrad.numpy as fnp
from funcgrad.errors import FuncgradError
from funcgrad.scipy import stats
from funcgrad.scipy.stats.families import Continuous, Family

pytestmark = pytest.mark.no_cover

theirs = pytest.importorskip("scipy.stats")
DISTRIBUTIONS = {n: d for n, d in vars(theirs).items() if isinstance(d, theirs.rv_continuous | theirs.rv_discrete)}
METHODS = (
    "logpdf",
    "pdf",
    "logpmf",
    "pmf",
    "cdf",
    "logcdf",
    "sf",
    "logsf",
    "ppf",
    "isf",
    "mean",
    "var",
    "std",
    "entropy",
)


def refusal(f, x):
    """The message with which a derivative is refused, or None if there is one."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            f(x)
        except (ValueError, TypeError):
            return None  # not to be called like this
        try:
            found = fg.grad(f)(x)
        except FuncgradError as e:
            return str(e)
        h = 1e-6
        expected = (f(x + h) - f(x - h)) / (2 * h)
    assert abs(float(found) - expected) <= 1e-5 * (1 + abs(expected)), "a gradient was lost without a word"
    return None


BY_QUADRATURE = ("studentized_range", "recipinvgauss", "kappa4")
"""Whose moments SciPy integrates, for a minute."""


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in BY_QUADRATURE else n for n in DISTRIBUTIONS]
)
def test_methods_of_distributions(name):
    """By the point, each shape, location and scale: the error names it, and funcgrad's own function if there is one."""
    d = DISTRIBUTIONS[name]
    ours = getattr(stats, name, None)
    placed = {"loc": 0.1, "scale": 1.3} if isinstance(d, theirs.rv_continuous) else {"loc": 0.0}
    shapes = dict.fromkeys((d.shapes or "").replace(" ", "").split(",") if d.shapes else [], 0.5)
    for method in METHODS:
        f = getattr(d, method, None)
        if f is None:
            continue
        given = ({} if method in ("mean", "var", "std", "entropy") else {"point": 0.4}) | shapes | placed
        for k in given:

            def of(x, k=k, f=f, given=given):
                values = list((given | {k: x}).values())
                return f(*values)

            message = refusal(of, given[k])
            if message is None:
                continue
            assert f"scipy.stats.{name}.{method} " in message and "test_stats_of_scipy.py" in message, message
            if isinstance(ours, Family) and (method != "entropy" or ours._entropy) and hasattr(ours, method):
                assert f"funcgrad.scipy.stats.{name}.{method} instead" in message, message


@pytest.mark.parametrize("name", [n for n, d in vars(stats).items() if isinstance(d, Family)])
def test_ours_instead(name):
    """What the error names takes the same arguments."""
    method = "logpdf" if isinstance(getattr(stats, name), Continuous) else "logpmf"
    message = refusal(lambda x: getattr(theirs, name).cdf(x, *[0.5] * getattr(theirs, name).numargs), 0.4)
    named = re.search(r"Call funcgrad\.scipy\.stats\.(\w+)\.(\w+) instead", message)
    assert callable(getattr(getattr(stats, named[1]), named[2])) and named[1] == name
    d = getattr(stats, name)
    assert next(iter(inspect.signature(getattr(d, method)).parameters)) in ("x", "k")
    assert tuple(d.shapes) == tuple(
        (getattr(theirs, name).shapes or "").replace(" ", "").split(",") if d.shapes else ()
    )


@pytest.mark.parametrize(
    "f, name",
    [
        (lambda x: theirs.norm(x, 1.0).logpdf(0.3), "norm.logpdf"),
        (lambda x: theirs.gamma(2.0).cdf(x), "gamma.cdf"),
        (lambda x: theirs.poisson(x).logpmf(3), "poisson.logpmf"),
        (lambda x: theirs.multivariate_normal.logpdf(fnp.ones(2) * x, np.zeros(2)), "multivariate_normal.logpdf"),
        (lambda x: theirs.multinomial.logpmf([1, 2], 3, fnp.array([x, 1 - x])), "multinomial.logpmf"),
        (lambda x: theirs.dirichlet.logpdf(fnp.array([x, 1 - x]), np.ones(2)), "dirichlet.logpdf"),
        (lambda x: theirs.gaussian_kde(fnp.arange(4.0) * x)(0.3)[0], "gaussian_kde"),
        (lambda x: theirs.sem(fnp.arange(4.0) * x), "sem"),
    ],
)
def test_frozen_ones_and_those_of_vectors(f, name):
    message = refusal(f, 0.4)
    assert f"scipy.stats.{name}" in message and f"funcgrad.scipy.stats.{name}" in message and "lambda x" in message
