# check: sum(outer_losses[-5:]) < sum(outer_losses[:5])
"""Learn a start from which one step of gradient descent fits a line."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
inner_lr = torch.tensor(0.01, requires_grad=True)
meta = torch.optim.Adam([w, b, inner_lr], lr=0.05)


def task():
    slope, shift = 3 + 0.2 * torch.randn(1), -1 + 0.2 * torch.randn(1)
    x = torch.rand(20)
    return x, slope * x + shift


outer_losses = []
for iteration in range(25):
    outer = 0.0
    for _ in range(4):
        x, y = task()
        inner = F.mse_loss(w * x[:10] + b, y[:10])
        gw, gb = torch.autograd.grad(inner, (w, b), create_graph=True)
        fast_w, fast_b = w - inner_lr * gw, b - inner_lr * gb
        outer = outer + F.mse_loss(fast_w * x[10:] + fast_b, y[10:])
    meta.zero_grad()
    outer.backward()
    meta.step()
    outer_losses.append(outer.item())
