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


weights = D.Categorical(torch.tensor([1.0, 3.0]))
components = D.Normal(torch.tensor([0.0, 4.0]), torch.tensor([1.0, 0.5]))
vectors = D.Independent(D.Normal(torch.tensor([[0.0, 1.0], [4.0, 5.0]]), 1.0), 1)
steps = [D.SigmoidTransform().inv, D.AffineTransform(torch.tensor([1.0, 2.0]), -2.0)]
show(
    D.MixtureSameFamily(weights, components),
    D.MixtureSameFamily(weights, vectors),
    D.MixtureSameFamily(D.Categorical(torch.ones(3, 2)), D.Poisson(torch.ones(3, 2))),
    D.Independent(D.Bernoulli(torch.tensor([[0.5, 0.25]])), 0),
    D.Independent(D.Bernoulli(torch.tensor([[0.5, 0.25]])), 2),
    D.TransformedDistribution(D.Uniform(0.0, 1.0), steps),
    D.TransformedDistribution(D.Normal(torch.zeros(4), 1.0), D.ReshapeTransform((4,), (2, 2))),
    D.TransformedDistribution(D.Normal(0.0, 1.0), []),
)
