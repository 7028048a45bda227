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
    D.Uniform(torch.tensor([0.0, 1.0]), torch.tensor([2.0, 5.0])),
    D.Beta(torch.tensor([0.5, 2.0]), torch.tensor([0.75, 4.0])),
    D.Beta(2.0, 3.0),
    D.Kumaraswamy(torch.tensor([0.5, 2.0]), torch.tensor([1.5, 4.0])),
    D.ContinuousBernoulli(torch.tensor([0.2, 0.5, 0.9])),
    D.ContinuousBernoulli(logits=torch.tensor([0.5, -2.0])),
    D.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.2, 0.7])),
    D.RelaxedBernoulli(torch.tensor([0.5]), logits=torch.tensor([0.2, -2.0])),
)
