"""torch.distributions against SciPy's distributions, numerical integrals and moments of samples."""

import math
import pickle

import numpy as np
import pytest
import scipy.integrate
import scipy.special
import scipy.stats as stats

from funcgrad import torch

D = torch.distributions
t = torch.tensor

CONTINUOUS = [
    (D.Normal(0.5, 2.0), stats.norm(0.5, 2.0)),
    (D.Cauchy(0.5, 2.0), stats.cauchy(0.5, 2.0)),
    (D.Laplace(0.5, 2.0), stats.laplace(0.5, 2.0)),
    (D.StudentT(4.5, 0.5, 2.0), stats.t(4.5, 0.5, 2.0)),
    (D.Gumbel(0.5, 2.0), stats.gumbel_r(0.5, 2.0)),
    (D.Exponential(2.0), stats.expon(scale=0.5)),
    (D.Gamma(2.5, 2.0), stats.gamma(2.5, scale=0.5)),
    (D.Chi2(3.0), stats.chi2(3.0)),
    (D.InverseGamma(3.5, 2.0), stats.invgamma(3.5, scale=2.0)),
    (D.FisherSnedecor(3.0, 9.0), stats.f(3.0, 9.0)),
    (D.HalfNormal(2.0), stats.halfnorm(scale=2.0)),
    (D.HalfCauchy(2.0), stats.halfcauchy(scale=2.0)),
    (D.LogNormal(0.25, 0.5), stats.lognorm(0.5, scale=math.exp(0.25))),
    (D.Pareto(2.0, 3.5), stats.pareto(3.5, scale=2.0)),
    (D.Weibull(2.0, 1.5), stats.weibull_min(1.5, scale=2.0)),
    (D.GeneralizedPareto(1.0, 2.0, 0.125), stats.genpareto(0.125, 1.0, 2.0)),
    (D.GeneralizedPareto(1.0, 2.0, 0.0), stats.genpareto(0.0, 1.0, 2.0)),
    (D.Uniform(0.5, 2.0), stats.uniform(0.5, 1.5)),
    (D.Beta(2.5, 1.5), stats.beta(2.5, 1.5)),
]
DISCRETE = [
    (D.Bernoulli(0.25), stats.bernoulli(0.25)),
    (D.Binomial(7, t(0.25)), stats.binom(7, 0.25)),
    (D.Geometric(0.25), stats.geom(0.25, loc=-1)),
    (D.NegativeBinomial(3.0, t(0.25)), stats.nbinom(3, 0.75)),
    (D.Poisson(3.5), stats.poisson(3.5)),
]


def name(case):
    return type(case).__name__ if isinstance(case, D.Distribution) else ""


def close(found, wanted, rtol=1e-5):
    np.testing.assert_allclose(np.asarray(found.detach().numpy()), wanted, rtol=rtol, atol=1e-6)


def check_moments(ours, theirs):
    mean, variance = theirs.stats("mv")
    if np.isfinite(mean):
        close(ours.mean, mean)
    if np.isfinite(variance):
        close(ours.variance, variance)
        close(ours.stddev, np.sqrt(variance))


@pytest.mark.parametrize("ours, theirs", CONTINUOUS, ids=name)
def test_continuous_families_are_those_of_scipy(ours, theirs):
    p = np.linspace(0.05, 0.95, 7).astype(np.float32)
    x = t(theirs.ppf(p).astype(np.float32))
    close(ours.log_prob(x), theirs.logpdf(x.numpy()), rtol=2e-4)
    for f, wanted in ((ours.cdf, p), (ours.icdf, x)):
        try:
            found = f(x if f == ours.cdf else t(p))
        except NotImplementedError:
            continue
        close(found, wanted, rtol=1e-3)
    check_moments(ours, theirs)
    try:
        entropy = ours.entropy()
    except NotImplementedError:
        return
    close(entropy, theirs.entropy(), rtol=1e-4)


@pytest.mark.parametrize("ours, theirs", DISCRETE, ids=name)
def test_discrete_families_are_those_of_scipy(ours, theirs):
    k = np.array([0.0, 1.0]) if isinstance(ours, D.Bernoulli) else np.arange(6.0)
    close(ours.log_prob(t(k)), theirs.logpmf(k))
    check_moments(ours, theirs)
    close(ours.mode, k[theirs.pmf(k).argmax()])
    if isinstance(ours, D.Bernoulli | D.Binomial | D.Geometric):
        close(ours.entropy(), theirs.entropy())


@pytest.mark.parametrize("ours, theirs", CONTINUOUS, ids=name)
def test_samples_follow_the_distribution(ours, theirs):
    torch.manual_seed(3)
    x = ours.sample((1000,)).numpy()
    assert stats.kstest(x, theirs.cdf).pvalue > 1e-3


@pytest.mark.parametrize(
    "d",
    [
        D.Kumaraswamy(2.0, 3.0),
        D.ContinuousBernoulli(0.25),
        D.ContinuousBernoulli(0.5),
        D.VonMises(t(0.5), t(5.0)),
        D.RelaxedBernoulli(t(2.0), t(0.25)),
        D.TransformedDistribution(D.Normal(0.0, 0.5), [D.ExpTransform(), D.AffineTransform(1.0, -2.0)]),
    ],
    ids=name,
)
def test_densities_integrate_to_one(d):
    low, high = {"VonMises": (-math.pi, math.pi), "TransformedDistribution": (-60.0, 0.999)}.get(name(d), (0.0, 1.0))
    x = np.linspace(low + 1e-6, high - 1e-6, 40001)
    density = d.log_prob(t(x)).exp().numpy()
    assert abs(scipy.integrate.simpson(density, x=x) - 1) < 5e-3
    try:
        mean, entropy = d.mean, d.entropy()
    except NotImplementedError:
        return
    assert abs(scipy.integrate.simpson(density * x, x=x) - mean.item()) < 1e-3
    assert abs(scipy.integrate.simpson(scipy.special.entr(density), x=x) - entropy.item()) < 1e-3


def test_von_mises_is_that_of_scipy():
    x = np.linspace(-3, 3, 9).astype(np.float32)
    close(D.VonMises(t(0.5), t(2.0)).log_prob(t(x)), stats.vonmises(2.0, 0.5).logpdf(x), rtol=1e-4)
    close(D.VonMises(t(0.5), t(2.0)).variance, 1 - scipy.special.i1(2.0) / scipy.special.i0(2.0))
    with pytest.raises(AssertionError, match="order must be 0 or 1, got 2"):
        torch.distributions.von_mises._log_modified_bessel_fn(t(1.0), order=2)


def test_families_of_vectors_are_those_of_scipy():
    covariance = np.array([[2.0, 0.5], [0.5, 1.0]])
    x = np.array([[0.3, -1.0], [2.0, 1.0]])
    theirs = stats.multivariate_normal([1.0, 2.0], covariance)
    for given in ({"covariance_matrix": covariance}, {"precision_matrix": np.linalg.inv(covariance)}):
        ours = D.MultivariateNormal(t([1.0, 2.0], dtype=torch.float64), **{n: t(m) for n, m in given.items()})
        close(ours.log_prob(t(x)), theirs.logpdf(x))
        close(ours.entropy(), theirs.entropy())
    factor, diagonal = np.array([[1.0], [0.5]]), np.array([1.0, 0.25])
    low = D.LowRankMultivariateNormal(t([1.0, 2.0], dtype=torch.float64), t(factor), t(diagonal))
    theirs = stats.multivariate_normal([1.0, 2.0], factor @ factor.T + np.diag(diagonal))
    close(low.log_prob(t(x)), theirs.logpdf(x))
    close(low.entropy(), theirs.entropy())
    close(low.scale_tril, np.linalg.cholesky(theirs.cov))
    close(low.precision_matrix, np.linalg.inv(theirs.cov))
    concentration, point = np.array([0.5, 2.0, 3.0]), np.array([0.2, 0.3, 0.5])
    close(D.Dirichlet(t(concentration)).log_prob(t(point)), stats.dirichlet(concentration).logpdf(point))
    close(D.Dirichlet(t(concentration)).entropy(), stats.dirichlet(concentration).entropy())
    close(D.Multinomial(4, t(point)).log_prob(t([1.0, 1.0, 2.0])), stats.multinomial(4, point).logpmf([1, 1, 2]))
    close(D.Multinomial(4, t(point)).entropy(), stats.multinomial(4, point).entropy())
    close(D.Categorical(t(point)).entropy(), stats.entropy(point))
    wishart = D.Wishart(t(3.5, dtype=torch.float64), t(covariance))
    matrix = np.array([[1.0, 0.25], [0.25, 0.5]])
    close(wishart.log_prob(t(matrix)), stats.wishart(3.5, covariance).logpdf(matrix))
    close(wishart.entropy(), stats.wishart(3.5, covariance).entropy())
    close(D.ExponentialFamily.entropy(wishart), stats.wishart(3.5, covariance).entropy())


def test_a_correlation_of_lkj_is_beta():
    """For matrices of size 2 the correlation, taken to [0, 1], has the parameters of the concentration."""
    torch.manual_seed(4)
    d = D.LKJCholesky(2, t(1.5))
    L = d.sample((1000,))
    assert stats.kstest(((L[:, 1, 0] + 1) / 2).numpy(), stats.beta(1.5, 1.5).cdf).pvalue > 1e-3
    r = L[:5, 1, 0].numpy()
    # the Jacobian from the correlation to itself is 1: row 2 of the factor is (r, sqrt(1 - r²))
    close(d.log_prob(L[:5]), stats.beta(1.5, 1.5, loc=-1, scale=2).logpdf(r), rtol=1e-3)


def test_moments_of_a_mixture():
    weights, means, scales = np.array([0.25, 0.75]), np.array([0.0, 4.0]), np.array([1.0, 0.5])
    d = D.MixtureSameFamily(D.Categorical(t(weights)), D.Normal(t(means), t(scales)))
    mean = weights @ means
    close(d.mean, mean)
    close(d.variance, weights @ (scales**2 + means**2) - mean**2)
    x = np.linspace(-2, 6, 5)
    close(d.log_prob(t(x)).exp(), stats.norm(means, scales).pdf(x[:, None]) @ weights)
    close(d.cdf(t(x)), stats.norm(means, scales).cdf(x[:, None]) @ weights)


def quantile_slope(theirs, parameter, x, step=1e-5):
    """How the quantile x of a distribution moves with its parameter."""
    above, below = theirs(parameter + step), theirs(parameter - step)
    at = theirs(parameter)
    return -(above.cdf(x) - below.cdf(x)) / (2 * step) / at.pdf(x)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.5, 4.0, 7.5, 9.0, 30.0, 200.0])
def test_gamma_numbers_move_with_their_quantile(alpha):
    x = stats.gamma(alpha).ppf(np.array([0.02, 0.2, 0.45, 0.5, 0.6, 0.9, 0.99]))
    found = torch._standard_gamma_grad(torch.full((7,), alpha, dtype=torch.float64), t(x)).numpy()
    np.testing.assert_allclose(found, quantile_slope(stats.gamma, alpha, x), rtol=2e-3, atol=1e-7)


@pytest.mark.parametrize("alpha, beta", [(0.25, 0.5), (0.5, 3.0), (2.0, 3.0), (5.0, 0.5), (9.0, 12.0), (40.0, 8.0)])
def test_components_of_dirichlet_numbers_move_with_their_quantile(alpha, beta):
    x = stats.beta(alpha, beta).ppf(np.array([0.02, 0.2, 0.45, 0.5, 0.55, 0.9, 0.98]))
    total = torch.full((7,), alpha + beta, dtype=torch.float64)
    found = torch._dirichlet_grad(t(x), torch.full((7,), alpha, dtype=torch.float64), total).numpy()
    wanted = quantile_slope(lambda a: stats.beta(a, beta), alpha, x) / (1 - x)
    np.testing.assert_allclose(found, wanted, rtol=5e-3, atol=1e-6)


def test_gamma_numbers_differ_inside_vmap_and_have_gradients():
    torch.manual_seed(0)
    alpha = torch.full((3, 2), 2.5)
    drawn = torch.vmap(torch._standard_gamma, randomness="different")(alpha)
    assert drawn.shape == (3, 2) and len(set(drawn.flatten().tolist())) == 6
    torch.manual_seed(1)
    slope = torch.func.grad(lambda a: torch._standard_gamma(a).sum())(alpha)
    torch.manual_seed(1)
    close(slope, torch._standard_gamma_grad(alpha, torch._standard_gamma(alpha)).numpy())


PAIRS = [
    (D.Gamma(2.0, 3.0), D.Normal(0.5, 1.0)),
    (D.Gumbel(0.0, 1.0), D.Normal(0.5, 1.5)),
    (D.Normal(0.5, 1.0), D.Laplace(0.0, 1.5)),
    (D.Normal(0.5, 1.0), D.Gumbel(0.0, 1.5)),
    (D.Laplace(0.0, 1.0), D.Normal(0.5, 1.5)),
    (D.Beta(2.0, 3.0), D.Gamma(1.5, 2.0)),
    (D.Beta(2.0, 3.0), D.Normal(0.5, 1.0)),
    (D.Uniform(0.25, 0.75), D.Beta(2.0, 3.0)),
    (D.Uniform(0.25, 0.75), D.Gumbel(0.0, 1.5)),
    (D.Exponential(2.0), D.Gumbel(0.5, 1.5)),
    (D.Pareto(1.0, 4.0), D.Gamma(1.5, 2.0)),
    (D.ContinuousBernoulli(0.75), D.Normal(0.5, 1.0)),
    (D.Cauchy(0.0, 1.0), D.Cauchy(0.5, 2.0)),
]


@pytest.mark.parametrize("p, q", PAIRS, ids=name)
def test_divergences_are_means_of_log_ratios(p, q):
    u = np.linspace(0, 1, 20001)[1:-1]
    try:
        x = p.icdf(t(u))
    except NotImplementedError:
        torch.manual_seed(0)
        x = p.sample((20000,))
    ratio = p.log_prob(x) - q.log_prob(x)
    assert abs(ratio.mean() - D.kl_divergence(p, q)) < 0.03


def test_distributions_and_transforms_are_pickled_and_copied():
    for x in (D.Normal(t([0.0, 1.0]), 1.0), D.Wishart(3.0, torch.eye(2)), D.constraints.interval(0, 1)):
        assert repr(pickle.loads(pickle.dumps(x))) == repr(x)
    inverse = D.ExpTransform().inv
    lost = pickle.loads(pickle.dumps(inverse))
    assert type(lost) is type(inverse)
    with pytest.raises(AssertionError, match="_inv must not be None"):
        lost(t(1.0))
    assert D.Independent[D.Normal].__origin__ is D.Independent


def test_0d_duals_are_drawn_from():
    """A 0-d mean with a tangent: the numbers follow it, the tangent is 0."""
    with torch.autograd.forward_ad.dual_level():
        mean = torch.autograd.forward_ad.make_dual(t(0.5), t(1.0))
        drawn = torch.normal(mean, t(1.0))
        assert torch.autograd.forward_ad.unpack_dual(drawn).tangent == 0


def test_expanded_weights_are_drawn_from_as_if_they_were_repeated():
    p = t([[0.2, 0.3, 0.5]])
    found = []
    for rows in (p.expand(5, 3), p.repeat(5, 1)):
        torch.manual_seed(0)
        found.append(torch.multinomial(rows, 1))
    assert found[0].equal(found[1])


@pytest.mark.parametrize(
    "p, q",
    [
        (D.Bernoulli(0.25), D.Bernoulli(0.5)),
        (D.Beta(2.0, 3.0), D.Beta(1.5, 0.5)),
        (D.ContinuousBernoulli(0.25), D.ContinuousBernoulli(0.9)),
        (D.Dirichlet(t([0.5, 2.0])), D.Dirichlet(t([1.5, 1.0]))),
        (D.Exponential(2.0), D.Exponential(0.5)),
        (D.Gamma(2.0, 3.0), D.Gamma(1.5, 1.0)),
        (D.Normal(0.5, 1.0), D.Normal(0.0, 2.0)),
        (D.Poisson(2.0), D.Poisson(0.5)),
    ],
    ids=name,
)
def test_bregman_divergences_are_the_formulas(p, q):
    close(D.kl._kl_expfamily_expfamily(p, q), D.kl_divergence(p, q).numpy(), rtol=1e-4)
    if not isinstance(p, D.Poisson | D.Beta | D.Dirichlet):  # whose carrier measure is not 0
        close(D.ExponentialFamily.entropy(p), p.entropy().numpy(), rtol=1e-4)
