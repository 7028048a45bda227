import torch
from torch import distributions as D

torch.set_printoptions(precision=3)


def leaf(*numbers):
    return torch.tensor(numbers, requires_grad=True)


for make, parameters in (
    (D.Normal, (leaf(0.5, 1.0), leaf(1.0, 2.0))),
    (D.Gamma, (leaf(0.5, 3.0, 20.0), leaf(1.0, 2.0, 4.0))),
    (D.Beta, (leaf(0.5, 3.0, 9.0), leaf(1.0, 2.0, 8.0))),
    (D.Dirichlet, (leaf(0.5, 2.0, 3.0),)),
    (D.StudentT, (leaf(3.0, 5.0),)),
    (D.Uniform, (leaf(0.0), leaf(2.0))),
    (D.VonMises, (leaf(0.0), leaf(2.0))),
    (D.Kumaraswamy, (leaf(0.5), leaf(2.0))),
    (D.Categorical, (leaf(1.0, 2.0, 3.0),)),
    (D.OneHotCategoricalStraightThrough, (leaf(1.0, 2.0, 3.0),)),
    (lambda p: D.RelaxedBernoulli(torch.tensor(0.5), logits=p), (leaf(0.5, -1.0),)),
    (lambda p: D.MultivariateNormal(torch.zeros(2), p), (torch.tensor([[2.0, 0.5], [0.5, 1.0]], requires_grad=True),)),
):
    torch.manual_seed(2)
    d = make(*parameters)
    x = d.sample((2,))
    print(x.requires_grad, d.log_prob(x).sum(), torch.autograd.grad(d.log_prob(x).sum(), parameters, retain_graph=True))
    if d.has_rsample:
        y = d.rsample((2,))
        weights = torch.arange(float(y.numel())).reshape(y.shape)
        print(y, torch.autograd.grad((y * weights).sum(), parameters))
alpha = leaf(0.5, 2.0, 20.0)
torch.manual_seed(0)
for f in (
    lambda: torch._standard_gamma(alpha),
    lambda: torch._sample_dirichlet(alpha),
    lambda: torch._standard_gamma_grad(alpha, torch.ones(3)),
    lambda: torch._dirichlet_grad(leaf(0.1, 0.2, 0.7), alpha, alpha.sum().expand(3)),
):
    y = f()
    print(y)
    try:
        (g,) = torch.autograd.grad(y.sum(), alpha, create_graph=True)
        print(g)
        g.sum().backward()
    except (RuntimeError, NotImplementedError) as e:
        print(type(e).__name__, e)
half = torch.ones(2, dtype=torch.float16)
for f in (torch._standard_gamma, torch._sample_dirichlet, torch._is_all_true):
    try:
        f(half)
    except (NotImplementedError, RuntimeError) as e:
        print(e)
for f in (lambda: torch._standard_gamma_grad(half, half), lambda: torch._dirichlet_grad(half, half, half)):
    try:
        f()
    except NotImplementedError as e:
        print(e)
print(torch._standard_gamma(torch.tensor([-1.0, float("nan"), 0.0])), torch._is_any_true(torch.tensor([False, True])))
