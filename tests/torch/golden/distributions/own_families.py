import torch
from torch import distributions as D


class Bare(D.Distribution):
    pass


class Half(D.Distribution):
    @property
    def arg_constraints(self):
        return {}


bare, half = Bare(), Half(torch.Size([2]))
print(half, half.batch_shape, half._extended_shape((3,)))
half._validate_sample(torch.zeros(2))
for name in ("arg_constraints", "support", "mean", "mode", "variance", "stddev"):
    try:
        print(name, getattr(bare, name))
    except NotImplementedError as e:
        print(name, "none", e)
for f in (bare.sample, bare.rsample, bare.entropy, bare.perplexity, bare.enumerate_support):
    try:
        f()
    except NotImplementedError as e:
        print(f.__name__, "none", e)
for f in (bare.log_prob, bare.cdf, bare.icdf, bare.expand):
    try:
        f(torch.zeros(2))
    except NotImplementedError as e:
        print(f.__name__, "none", e)


class Own(D.Normal):
    def __init__(self, size):
        super().__init__(torch.zeros(size), torch.ones(size))


class Expanding(Own):
    def expand(self, batch_shape, _instance=None):
        return super().expand(batch_shape, self._get_checked_instance(Expanding, _instance))


try:
    Own(2).expand((3, 2))
except NotImplementedError as e:
    print(e)
print(Expanding(2).expand((3, 2)))
torch.manual_seed(0)
print(D.Normal(0.0, 1.0).sample_n(2).shape)


class Log(D.ExponentialFamily):
    pass


log = Log(validate_args=False)
for f in (lambda: log._natural_params, lambda: log._log_normalizer(), lambda: log._mean_carrier_measure, log.entropy):
    try:
        f()
    except NotImplementedError as e:
        print("none", e)
print(
    D.ExponentialFamily.entropy(D.Gamma(torch.tensor([2.0]), torch.tensor([3.0]))) - D.Gamma(2.0, 3.0).entropy() < 1e-5
)
