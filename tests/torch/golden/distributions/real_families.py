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
    D.Normal(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5])),
    D.Normal(0, 2),
    D.Cauchy(torch.tensor([0.0, 1.0]), 0.5),
    D.Laplace(torch.tensor([0.0, 1.0]), 0.5),
    D.StudentT(torch.tensor([1.0, 1.5, 4.0]), 1.0, 2.0),
    D.Gumbel(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.5])),
    D.Gumbel(0.0, 2.0),
    D.VonMises(torch.tensor([0.0, 3.0]), torch.tensor([1.0, 8.0])),
)
