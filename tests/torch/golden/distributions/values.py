import torch
from torch import distributions as D


def tell(f):
    try:
        print(f())
    except (ValueError, NotImplementedError, RuntimeError) as e:
        print(type(e).__name__, e)


normal = D.Normal(torch.zeros(3), torch.ones(3))
for value in (1.0, torch.zeros(2), torch.tensor([float("nan"), 0.0, 0.0]), torch.zeros(4, 1), torch.zeros(())):
    tell(lambda value=value: normal.log_prob(value).shape)
    tell(lambda value=value: normal.cdf(value).shape)
tell(lambda: D.Bernoulli(0.5).log_prob(torch.tensor(0.5)))
tell(lambda: D.Categorical(torch.ones(3)).log_prob(torch.tensor(3)))
tell(lambda: D.Exponential(1.0).log_prob(torch.tensor(-1.0)))
tell(lambda: D.Exponential(1.0, validate_args=False).log_prob(torch.tensor(-1.0)))
tell(lambda: D.Uniform(0.0, 1.0).log_prob(torch.tensor([0.5, 2.0])))
tell(lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(2)))
tell(lambda: D.Dirichlet(torch.ones(3)).log_prob(torch.ones(3)))
tell(lambda: D.Poisson(1.0).log_prob(torch.tensor([0.5])))
tell(lambda: D.Multinomial(2, torch.ones(2)).log_prob(torch.tensor([2.0, 2.0])))
tell(lambda: D.HalfCauchy(1.0, validate_args=False).log_prob(-1.0))
tell(lambda: D.Gamma(2.0, 1.0).log_prob(1.0))
tell(lambda: normal.mode)
tell(lambda: D.Distribution().mode)
D.Distribution.set_default_validate_args(False)
tell(lambda: D.Normal(0.0, torch.tensor([1.0, -1.0])))
D.Distribution.set_default_validate_args(True)
tell(lambda: D.Distribution.set_default_validate_args(2))
