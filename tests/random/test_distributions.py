"""The numbers have the distributions that they are said to have: SciPy's distribution functions, and moments."""

import numpy as np
import pytest
from scipy import stats

import funcgrad.numpy as fnp
from funcgrad import random

N = 4000
KEY = random.key(2024)

CONTINUOUS = {
    "uniform": (lambda n, d: random.uniform(KEY, n, d, -1, 3), stats.uniform(-1, 4)),
    "normal": (lambda n, d: random.normal(KEY, n, d), stats.norm),
    "truncated_normal": (lambda n, d: random.truncated_normal(KEY, -0.5, 2.0, n, d), stats.truncnorm(-0.5, 2)),
    "lognormal": (lambda n, d: random.lognormal(KEY, 0.7, n, d), stats.lognorm(0.7)),
    "maxwell": (lambda n, d: random.maxwell(KEY, n, d), stats.maxwell),
    "double_sided_maxwell": (lambda n, d: abs(random.double_sided_maxwell(KEY, 0.0, 2.0, n, d)), stats.maxwell(0, 2)),
    "exponential": (lambda n, d: random.exponential(KEY, n, d), stats.expon),
    "gumbel": (lambda n, d: random.gumbel(KEY, n, d), stats.gumbel_r),
    "gumbel, high": (lambda n, d: random.gumbel(KEY, n, d, "high"), stats.gumbel_r),
    "gumbel, highest": (lambda n, d: random.gumbel(KEY, n, d, "highest"), stats.gumbel_r),
    "laplace": (lambda n, d: random.laplace(KEY, n, d), stats.laplace),
    "logistic": (lambda n, d: random.logistic(KEY, n, d), stats.logistic),
    "cauchy": (lambda n, d: random.cauchy(KEY, n, d), stats.cauchy),
    "pareto": (lambda n, d: random.pareto(KEY, 2.5, n, d), stats.pareto(2.5)),
    "rayleigh": (lambda n, d: random.rayleigh(KEY, 2.0, n, d), stats.rayleigh(0, 2)),
    "weibull_min": (lambda n, d: random.weibull_min(KEY, 2.0, 1.5, n, d), stats.weibull_min(1.5, 0, 2)),
    "triangular": (lambda n, d: random.triangular(KEY, -1.0, 0.0, 3.0, n, d), stats.triang(0.25, -1, 4)),
    "wald": (lambda n, d: random.wald(KEY, 1.7, n, d), stats.invgauss(1.7)),
    "gamma, small": (lambda n, d: random.gamma(KEY, 0.3, n, d), stats.gamma(0.3)),
    "gamma, large": (lambda n, d: random.gamma(KEY, 70.0, n, d), stats.gamma(70)),
    "loggamma": (lambda n, d: random.loggamma(KEY, 0.3, n, d), stats.loggamma(0.3)),
    "beta": (lambda n, d: random.beta(KEY, 0.6, 2.0, n, d), stats.beta(0.6, 2)),
    "chisquare": (lambda n, d: random.chisquare(KEY, 3, n, d), stats.chi2(3)),
    "f": (lambda n, d: random.f(KEY, 3, 7, n, d), stats.f(3, 7)),
    "t": (lambda n, d: random.t(KEY, 2.5, n, d), stats.t(2.5)),
    "generalized_normal": (lambda n, d: random.generalized_normal(KEY, 1.5, n, d), stats.gennorm(1.5)),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("draw, law", CONTINUOUS.values(), ids=CONTINUOUS)
def test_continuous(draw, law, dtype):
    x = np.asarray(draw((N,), dtype))
    assert x.dtype == dtype and x.shape == (N,)
    assert stats.kstest(x.astype(float), law.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "draw",
    [
        lambda n: random.uniform(KEY, n, np.float16),
        lambda n: 0.5 + random.normal(KEY, n, np.float16) / 8,
        lambda n: random.beta(KEY, 2.0, 2.0, n, np.float16),
    ],
)
def test_half_precision(draw):
    x = np.asarray(draw((N,)))
    assert x.dtype == np.float16
    assert abs(x.astype(float).mean() - 0.5) < 5 * x.astype(float).std() / np.sqrt(N) + 1e-3


THREE = stats.rv_discrete(0, 2, values=([0, 1, 2], [0.1, 0.2, 0.7]))
DISCRETE = {
    "poisson, small": (lambda n: random.poisson(KEY, 2.3, n), stats.poisson(2.3)),
    "poisson, large": (lambda n: random.poisson(KEY, 34.5, n), stats.poisson(34.5)),
    "binomial, small": (lambda n: random.binomial(KEY, 12, 0.2, n), stats.binom(12, 0.2)),
    "binomial, large": (lambda n: random.binomial(KEY, 100, 0.35, n), stats.binom(100, 0.35)),
    "binomial, likely": (lambda n: random.binomial(KEY, 100, 0.8, n), stats.binom(100, 0.8)),
    "geometric": (lambda n: random.geometric(KEY, 0.3, n), stats.geom(0.3)),
    "randint": (lambda n: random.randint(KEY, n, -3, 9), stats.randint(-3, 9)),
    "randint of few bits": (lambda n: random.randint(KEY, n, 0, 200, "uint8"), stats.randint(0, 200)),
    "bernoulli": (lambda n: random.bernoulli(KEY, 0.3, n), stats.bernoulli(0.3)),
    "bernoulli, high": (lambda n: random.bernoulli(KEY, 0.3, n, "high"), stats.bernoulli(0.3)),
    "rademacher": (lambda n: (random.rademacher(KEY, n) + 1) // 2, stats.bernoulli(0.5)),
    "choice": (lambda n: random.choice(KEY, 5, n), stats.randint(0, 5)),
    "choice by p": (lambda n: random.choice(KEY, 3, n, p=[1, 2, 7]), THREE),
    "categorical": (lambda n: random.categorical(KEY, np.log([0.1, 0.2, 0.7]), shape=n), THREE),
}


def goodness(x, probabilities):
    """The probability of counts so far from what is expected, numbers that are rarely expected being put together."""
    values, counts = np.unique(x, return_counts=True)
    expected = probabilities(values) * len(x)
    often = expected > 8
    rest, rest_expected = counts[~often].sum(), len(x) - expected[often].sum()
    if rest_expected < 1e-6 * len(x):
        assert rest == 0
        return stats.chisquare(counts[often], expected[often] * counts.sum() / expected.sum()).pvalue
    return stats.chisquare([*counts[often], rest], [*expected[often], rest_expected]).pvalue


@pytest.mark.parametrize("draw, law", DISCRETE.values(), ids=DISCRETE)
def test_discrete(draw, law):
    assert goodness(np.asarray(draw((N,))).astype(int), law.pmf) > 1e-3


@pytest.mark.parametrize("rate", [1e3, 1e6])
def test_large_numbers_of_events(rate):
    x = np.asarray(random.poisson(KEY, rate, (N,)), float)
    assert abs(x.mean() - rate) < 5 * np.sqrt(rate / N)
    assert abs(x.var() / rate - 1) < 5 * np.sqrt(2 / N)
    x = np.asarray(random.binomial(KEY, 2 * rate, 0.5, (N,)), float)
    assert abs(x.mean() - rate) < 5 * np.sqrt(rate / 2 / N)
    assert abs(x.var() / (rate / 2) - 1) < 5 * np.sqrt(2 / N)


def test_events_of_many_rates_at_once():
    rates = np.repeat([0.5, 5.0, 50.0], N)
    x = np.asarray(random.poisson(KEY, rates))
    for i, rate in enumerate((0.5, 5.0, 50.0)):
        assert goodness(x[i * N : (i + 1) * N], stats.poisson(rate).pmf) > 1e-3


def test_what_cannot_be_drawn():
    rates = np.array([0.0, -1.0, np.nan, np.inf, 1e30])
    np.testing.assert_array_equal(random.poisson(KEY, rates), [0, -1, -1, -1, -1])
    n, p = np.array([-1.0, np.nan, 5, 5, 5, np.inf, 5, 5]), np.array([0.5, 0.5, -0.1, 1.1, np.nan, 0.3, 0, 1])
    expected = [np.nan, np.nan, np.nan, np.nan, np.nan, np.inf, 0, 5]
    np.testing.assert_array_equal(random.binomial(KEY, n, p), expected)
    np.testing.assert_array_equal(random.geometric(KEY, np.array([0.0, 1.0, -0.1, 1.5, np.nan])), [-1, 1, -1, -1, -1])
    np.testing.assert_array_equal(random.gamma(KEY, np.array([-0.5, np.nan, np.inf])), [np.nan, np.nan, np.inf])


def test_multinomial():
    p = np.array([0.2, 0.0, 0.5, 0.3])
    x = np.asarray(random.multinomial(KEY, 30, p, shape=(N, 4)))
    np.testing.assert_array_equal(x.sum(-1), 30)
    for i in range(4):
        assert (x[:, i] == 0).all() if p[i] == 0 else goodness(x[:, i].astype(int), stats.binom(30, p[i]).pmf) > 1e-3
    assert np.asarray(random.multinomial(KEY, np.array([3.0, 70.0]), p, shape=(2, 4))).sum(-1).tolist() == [3, 70]


def test_dirichlet():
    x = np.asarray(random.dirichlet(KEY, np.array([0.3, 1.0, 2.7]), (N,)))
    np.testing.assert_allclose(x.sum(-1), 1, rtol=1e-14)
    for i, a in enumerate((0.3, 1.0, 2.7)):
        assert stats.kstest(x[:, i], stats.beta(a, 4 - a).cdf).pvalue > 1e-3
    tiny = np.asarray(random.dirichlet(KEY, np.full(3, 1e-5), (100,)))  # of which gamma numbers underflow
    np.testing.assert_allclose(tiny.sum(-1), 1, rtol=1e-14)


@pytest.mark.parametrize("method", ["cholesky", "eigh", "svd"])
def test_multivariate_normal(method):
    mean, cov = np.array([1.0, -2.0]), np.array([[2.0, 0.6], [0.6, 1.0]])
    x = np.asarray(random.multivariate_normal(KEY, mean, cov, (N,), method=method))
    white = np.linalg.solve(np.linalg.cholesky(cov), (x - mean).T)
    for row in white:
        assert stats.kstest(row, stats.norm.cdf).pvalue > 1e-3
    assert abs((white[0] * white[1]).mean()) < 5 / np.sqrt(N)


def test_a_singular_covariance():
    x = random.multivariate_normal(KEY, np.zeros(2), np.ones((2, 2)), (100,), method="svd")
    np.testing.assert_allclose(x[:, 0], x[:, 1], atol=1e-7)


def test_complex_normal():
    x = np.asarray(random.normal(KEY, (N,), complex))
    for part in (x.real, x.imag):
        assert stats.kstest(part * np.sqrt(2), stats.norm.cdf).pvalue > 1e-3
    assert abs((x.real * x.imag).mean()) < 5 * 0.5 / np.sqrt(N)


@pytest.mark.parametrize("n, m", [(3, 3), (4, 2), (2, 5), (1, 1), (0, 0)])
@pytest.mark.parametrize("dtype", [float, complex, np.float32])
def test_orthogonal(n, m, dtype):
    q = np.asarray(random.orthogonal(KEY, n, (5,), dtype, m))
    assert q.shape == (5, n, m) and q.dtype == dtype
    adjoint = q.conj().swapaxes(-1, -2)
    found = adjoint @ q if n >= m else q @ adjoint
    np.testing.assert_allclose(found, np.broadcast_to(np.eye(min(n, m)), found.shape), atol=1e-5)


def test_rotations_have_no_direction():
    q = np.asarray(random.orthogonal(KEY, 2, (N,)))
    angle = np.arctan2(q[:, 1, 0], q[:, 0, 0])
    assert stats.kstest(angle, stats.uniform(-np.pi, 2 * np.pi).cdf).pvalue > 1e-3
    assert abs(np.linalg.det(q).mean()) < 5 / np.sqrt(N)


@pytest.mark.parametrize("d, p", [(2, 2), (3, 1.0), (5, 4.0)])
def test_ball(d, p):
    x = np.asarray(random.ball(KEY, d, p, (N,)))
    radius = (np.abs(x) ** p).sum(-1) ** (1 / p)
    assert stats.kstest(radius**d, stats.uniform.cdf).pvalue > 1e-3
    assert np.abs(np.sign(x).mean(0)).max() < 5 / np.sqrt(N)


# Choices


def test_permutations_are_all_equally_likely():
    orders = np.asarray([random.permutation(k, 3) for k in random.split(KEY, 600)])
    counts = np.unique(orders @ [9, 3, 1], return_counts=True)[1]
    assert len(counts) == 6 and stats.chisquare(counts).pvalue > 1e-3


def test_permutation_moves_slices_or_each_vector():
    x = np.arange(12).reshape(4, 3)
    rows = np.asarray(random.permutation(KEY, x))
    assert sorted(rows.tolist()) == x.tolist() and rows.tolist() != x.tolist()
    columns = np.asarray(random.permutation(KEY, x, axis=-1))
    assert sorted(columns.T.tolist()) == x.T.tolist()
    each = np.asarray(random.permutation(KEY, x, independent=True))
    np.testing.assert_array_equal(np.sort(each, 0), x)
    assert sorted(each.tolist()) != x.tolist()
    np.testing.assert_array_equal(x, np.arange(12).reshape(4, 3))


def test_choice_without_replacement_gives_each_once():
    assert sorted(random.choice(KEY, 10, (10,), False).tolist()) == list(range(10))
    p = np.array([0.5, 0.0, 0.2, 0.3])
    drawn = np.asarray([random.choice(k, 4, (3,), False, p) for k in random.split(KEY, 50)])
    np.testing.assert_array_equal(np.sort(drawn), np.broadcast_to([0, 2, 3], drawn.shape))


def test_choice_of_slices():
    x = np.arange(12.0).reshape(3, 4)
    out = np.asarray(random.choice(KEY, x, (2, 5), axis=1))
    assert out.shape == (3, 2, 5)
    np.testing.assert_array_equal(out[1] - out[0], 4)
    assert random.choice(KEY, x, ()).shape == (4,) and random.choice(KEY, 0, (0,)).shape == (0,)


def test_categories_without_replacement_differ():
    logits = np.linspace(-1, 1, 24).reshape(2, 4, 3)
    out = np.asarray(random.categorical(KEY, logits, 1, (4, 2, 3), replace=False))
    np.testing.assert_array_equal(np.sort(out, 0), np.arange(4)[:, None, None] * np.ones((1, 2, 3), int))


def test_integers_reach_both_ends():
    x = np.asarray(random.randint(KEY, (N,), -(2**63), 2**63 - 1))
    assert x.min() < -0.99 * 2**63 and x.max() > 0.99 * 2**63
    x = np.asarray(random.randint(KEY, (N,), 0, 256, "uint8"))
    assert (x.min(), x.max()) == (0, 255)
    whole = random.randint(KEY, (N,), -(2**31), 2**31, "int32")
    assert whole.dtype == np.int32 and len(np.unique(whole)) > N - 5
    assert random.randint(KEY, (3,), 7, 7).tolist() == [7, 7, 7]


def test_a_truncated_sample_keeps_within_its_bounds():
    for dtype in (np.float16, np.float32, np.float64):
        x = random.truncated_normal(KEY, 3.0, 3.01, (1000,), dtype)
        assert bool((x > dtype(3)).all()) and bool((x < dtype(3.01)).all())
    assert bool(fnp.all(random.uniform(KEY, (1000,), minval=5.0, maxval=5.0) == 5.0))
