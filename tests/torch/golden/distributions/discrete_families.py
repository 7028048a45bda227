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
    D.Bernoulli(torch.tensor([0.2, 0.5])),
    D.Bernoulli(logits=torch.tensor([0.2, -3.0])),
    D.Binomial(3, torch.tensor([0.25, 0.5])),
    D.Categorical(torch.tensor([1.0, 2.0, 5.0])),
    D.Categorical(logits=torch.tensor([[0.0, 1.0], [2.0, 0.5]])),
    D.Geometric(torch.tensor([0.5, 0.25])),
    D.Geometric(logits=torch.tensor(0.5)),
    D.NegativeBinomial(5, torch.tensor([0.5, 0.25])),
    D.NegativeBinomial(torch.tensor([0.0, 2.5]), logits=torch.tensor(-1.0)),
    D.Poisson(torch.tensor([0.5, 20.0])),
    D.Multinomial(4, torch.tensor([1.0, 2.0, 5.0])),
    D.OneHotCategorical(torch.tensor([1.0, 2.0, 5.0])),
    D.OneHotCategoricalStraightThrough(logits=torch.tensor([[0.0, 1.0]])),
)
