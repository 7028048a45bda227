# check: losses[-1] < losses[0]
"""Sharpness-aware minimisation: climb, take the gradient there, come back, step."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 1))
base = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(60, 4)
y = x[:, :1] * x[:, 1:2]
rho = 0.05
losses = []
for _ in range(25):
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    with torch.no_grad():
        norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
        climbs = []
        for p in net.parameters():
            e = p.grad * rho / (norm + 1e-12)
            p.add_(e)
            climbs.append(e)
    base.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), climbs):
            p.sub_(e)
    base.step()
    base.zero_grad()
    losses.append(loss.item())
