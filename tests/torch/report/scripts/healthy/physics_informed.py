# check: losses[-1] < losses[0]
# u'' + u = 0, u(0) = 0, u'(0) = 1
import torch
import torch.nn as nn

torch.manual_seed(0)
u = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam(u.parameters(), lr=1e-2)
x = torch.linspace(0, 1, 15).unsqueeze(1).requires_grad_()
zero = torch.zeros(1, 1, requires_grad=True)


def derivative(y, x):
    return torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)[0]


losses = []
for epoch in range(30):
    y = u(x)
    residual = derivative(derivative(y, x), x) + y
    y0 = u(zero)
    loss = residual.pow(2).mean() + y0.pow(2).sum() + (derivative(y0, zero) - 1).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
