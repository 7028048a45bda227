import torch
from torch import distributions as D

torch.set_printoptions(precision=2)


def show(*families):
    for d in families:
        torch.manual_seed(1)
        print(d, d.batch_shape, d.event_shape, d.has_rsample, d.has_enumerate_support, d.support)
        for name in ("mean", "mode", "variance", "stddev"):
            try:
                print(name, getattr(d, name))
            except NotImplementedError as e:
                print(name, "none", e)
        x = d.sample((2,))
        print(x, d.sample().shape)
        print("log_prob", d.log_prob(x))
        for f in (
            d.entropy,
            d.perplexity,
            d.enumerate_support,
            lambda d=d, x=x: d.cdf(x),
            lambda d=d: d.icdf(torch.tensor(0.25)),
        ):
            try:
                print(f())
            except NotImplementedError as e:
                print("none", e)
        wide = d.expand((2, *d.batch_shape))
        print(wide, wide.sample().shape, wide.log_prob(wide.sample()).shape)


covariance = torch.tensor([[2.0, 0.5], [0.5, 1.0]])
show(
    D.Dirichlet(torch.tensor([0.5, 2.0, 4.0])),
    D.Dirichlet(torch.tensor([[0.5, 0.25], [2.0, 3.0]])),
    D.RelaxedOneHotCategorical(torch.tensor(0.5), torch.tensor([1.0, 2.0, 5.0])),
    D.RelaxedOneHotCategorical(torch.tensor([0.5]), logits=torch.tensor([1.0, 2.0])),
    D.LogisticNormal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5])),
    D.LogisticNormal(0.0, 1.0),
    D.MultivariateNormal(torch.tensor([1.0, 2.0]), covariance),
    D.MultivariateNormal(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), precision_matrix=covariance),
    D.MultivariateNormal(torch.zeros(2), scale_tril=torch.tensor([[1.0, 0.0], [0.5, 2.0]])),
    D.LowRankMultivariateNormal(torch.zeros(2), torch.tensor([[1.0], [0.5]]), torch.tensor([1.0, 0.25])),
    D.Independent(D.Normal(torch.zeros(2, 3), torch.ones(2, 3)), 1),
)
