# expect: stale|loss not-given-to-the-optimiser pinn.viscosity
# check: unused(pinn.viscosity)
import torch
from torch import nn


class Pinn:
    """No nn.Module: a network and an unknown coefficient."""

    def __init__(self):
        self.u = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
        self.viscosity = nn.Parameter(torch.tensor(0.5))

    def loss(self, x):
        x = x.requires_grad_()
        u = self.u(x)
        (du,) = torch.autograd.grad(u.sum(), x, create_graph=True)
        return (du + self.viscosity * u).pow(2).mean() + (self.u(torch.zeros(1, 1)) - 1).pow(2).sum()


torch.manual_seed(0)
pinn = Pinn()
optimizer = torch.optim.Adam(pinn.u.parameters(), lr=1e-2)  # <- here
for epoch in range(10):
    loss = pinn.loss(torch.rand(16, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(pinn.viscosity.item())
