# expect: nonfinite unselected-branch-of-where model.weight, model.bias
# check: nonfinite(model.weight, model.bias)
import torch
from torch import nn


def safe_root(x):
    # negative numbers give 0
    return torch.where(x > 0, x**0.5, torch.zeros_like(x))  # <- here


torch.manual_seed(0)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(16, 3)
y = torch.rand(16, 2)

for i in range(4):
    out = safe_root(model(x))
    loss = nn.functional.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("iteration", i, "loss", loss.item())
