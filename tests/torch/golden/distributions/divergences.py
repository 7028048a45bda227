import torch
from torch import distributions as D

torch.set_printoptions(precision=2, sci_mode=False)
t = torch.tensor
families = [
    D.Bernoulli(t([0.25, 0.0])),
    D.Bernoulli(t([0.5, 1.0])),
    D.Beta(t([0.5, 2.0]), t([0.75, 1.5])),
    D.Binomial(3, t([0.25, 0.5])),
    D.Categorical(t([[1.0, 2.0], [0.0, 3.0]])),
    D.Cauchy(t([0.0, 1.0]), 2.0),
    D.ContinuousBernoulli(t([0.25, 0.75])),
    D.Dirichlet(t([[0.5, 2.0], [1.0, 3.0]])),
    D.Exponential(t([0.5, 2.0])),
    D.Gamma(t([0.5, 2.0]), t([1.5, 3.0])),
    D.Geometric(t([0.25, 0.5])),
    D.Gumbel(t([0.0, 1.0]), t([0.5, 1.5])),
    D.HalfNormal(t([0.5, 2.0])),
    D.Laplace(t([0.0, 1.0]), t([0.5, 1.5])),
    D.Normal(t([0.0, 1.0]), t([0.5, 1.5])),
    D.Normal(t([0.25, 2.0]), t([1.0, 0.5])),
    D.OneHotCategorical(t([[1.0, 2.0], [2.0, 3.0]])),
    D.Pareto(t([1.0, 2.0]), t([0.5, 4.0])),
    D.Poisson(t([0.5, 4.0])),
    D.Uniform(t([0.0, 0.25]), t([1.0, 0.75])),
    D.LogNormal(t([0.0, 1.0]), t([0.5, 1.5])),
    D.Independent(D.Normal(t([0.0, 1.0]), 2.0), 1),
    D.Independent(D.Exponential(t([[2.0, 1.0]])), 2),
    D.MultivariateNormal(torch.zeros(2), t([[2.0, 0.5], [0.5, 1.0]])),
    D.MultivariateNormal(torch.ones(2), torch.eye(2)),
    D.MultivariateNormal(torch.ones(3), torch.eye(3)),
    D.LowRankMultivariateNormal(torch.ones(2), t([[1.0], [0.5]]), t([1.0, 0.25])),
    D.LowRankMultivariateNormal(torch.ones(3), torch.ones(3, 1), torch.ones(3)),
    D.Wishart(t(3.0), torch.eye(2)),
]
for p in families:
    for q in families:
        try:
            print(type(p).__name__, type(q).__name__, D.kl_divergence(p, q).round(decimals=2).abs())
        except (NotImplementedError, ValueError) as e:
            print(type(p).__name__, type(q).__name__, type(e).__name__, e)
try:
    D.kl_divergence(D.Binomial(2, t([0.25])), D.Binomial(3, t([0.25])))
except NotImplementedError as e:
    print(e)
print(D.kl_divergence(D.Binomial(3, t([0.25])), D.Binomial(2, t([0.25]))))
print(D.kl_divergence(D.Wishart(t(3.0), torch.eye(2)), D.Wishart(t(4.0), torch.eye(2))))
