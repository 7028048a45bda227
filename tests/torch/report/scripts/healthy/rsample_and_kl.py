# check: losses[-1] < losses[0]
import torch
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
mu = nn.Parameter(torch.zeros(3))
log_sigma = nn.Parameter(torch.zeros(3))
opt = torch.optim.Adam([mu, log_sigma], lr=0.1)
x = torch.randn(40, 3)
y = x @ torch.tensor([1.0, -1.0, 2.0])
losses = []
for _ in range(30):
    q = Normal(mu, log_sigma.exp())
    w = q.rsample((8,))
    fit = (w @ x.T - y).pow(2).mean()
    loss = fit + 0.01 * kl_divergence(q, Normal(0.0, 1.0)).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(fit.item())
predictive = q.sample((5,)) @ x.T
