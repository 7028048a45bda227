# check: losses[-1] < losses[0] and skipped > 0
import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(80, 3)
y = x @ torch.tensor([[1.0], [2.0], [-1.0]])
x[13, 1] = float("nan")  # a broken sensor
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
losses, skipped = [], 0
for epoch in range(4):
    total = 0.0
    for xb, yb in zip(x.split(10), y.split(10)):
        loss = nn.functional.mse_loss(model(xb), yb)
        if not torch.isfinite(loss):
            skipped += 1
            continue
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    losses.append(total)
