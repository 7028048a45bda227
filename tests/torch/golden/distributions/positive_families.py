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


show(
    D.Exponential(torch.tensor([0.5, 2.0])),
    D.Gamma(torch.tensor([0.5, 2.0]), torch.tensor([1.0, 4.0])),
    D.Chi2(torch.tensor([1.0, 4.0])),
    D.FisherSnedecor(torch.tensor([1.0, 4.0]), torch.tensor([3.0, 6.0])),
    D.InverseGamma(torch.tensor([0.5, 3.0]), 2.0),
    D.HalfNormal(torch.tensor([0.5, 3.0])),
    D.HalfCauchy(torch.tensor([0.5, 3.0])),
    D.LogNormal(torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.25])),
    D.Pareto(torch.tensor([1.0, 2.0]), torch.tensor([0.5, 3.0])),
    D.Weibull(torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])),
    D.GeneralizedPareto(torch.tensor(1.0), torch.tensor(2.0), torch.tensor([0.0, 0.25, -0.5])),
)
