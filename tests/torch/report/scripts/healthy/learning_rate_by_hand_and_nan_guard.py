# check: losses[-1] < losses[0]
import math

import torch

torch.manual_seed(0)
w = torch.randn(5, requires_grad=True)
x = torch.randn(60, 5)
y = x @ torch.arange(5.0)
lr, losses = 0.2, []
for step in range(25):
    loss = (x @ w - y).pow(2).mean()
    if math.isnan(loss.item()):
        raise SystemExit("diverged")
    if losses and loss.item() > losses[-1]:
        lr *= 0.5
    losses.append(loss.item())
    if w.grad is not None:
        w.grad = None
    loss.backward()
    with torch.no_grad():
        w.add_(w.grad, alpha=-lr)
