# expect: error differentiated-tensor-not-in-the-graph x
# check: raised("appears to not have been used in the graph")
"""du/dx of a network that solves u' = u, u(0) = 1."""

import torch
import torch.nn as nn

torch.manual_seed(0)
u_net = nn.Sequential(nn.Linear(1, 10), nn.Tanh(), nn.Linear(10, 1))
optimizer = torch.optim.Adam(u_net.parameters(), lr=1e-2)


def residual(x):
    u = u_net(x.clone().detach().requires_grad_())  # <- here
    du = torch.autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]  # <- here
    return du - u


x = torch.linspace(0, 1, 20).view(-1, 1).requires_grad_()
zero = torch.zeros(1, 1)
for epoch in range(3):
    optimizer.zero_grad()
    loss = residual(x).pow(2).mean() + (u_net(zero) - 1).pow(2).sum()
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
