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
    D.LKJCholesky(3, torch.tensor([0.5, 2.0])),
    D.LKJCholesky(2),
    D.Wishart(torch.tensor([3.0, 4.0]), covariance),
    D.Wishart(3.0, scale_tril=torch.tensor([[1.0, 0.0], [0.5, 2.0]])),
    D.Wishart(5, precision_matrix=covariance),
)
d = D.Wishart(1.5, covariance)
print(d.precision_matrix, d.scale_tril, d.covariance_matrix)
low = D.LowRankMultivariateNormal(torch.zeros(3), torch.tensor([[1.0], [0.5], [0.0]]), torch.tensor([1.0, 0.25, 2.0]))
print(low.covariance_matrix, low.precision_matrix, low.scale_tril, low.expand((2,)).variance)
normal = D.MultivariateNormal(torch.zeros(2), precision_matrix=covariance)
print(normal.covariance_matrix, normal.scale_tril, normal.precision_matrix)
