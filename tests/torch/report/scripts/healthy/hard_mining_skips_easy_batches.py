# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
x = torch.randn(200, 5)
y = x @ torch.randn(5, 1)
losses = []
for epoch in range(6):
    total = 0.0
    for xb, yb in zip(x.split(20), y.split(20)):
        loss = nn.functional.mse_loss(model(xb), yb)
        total += loss.item()
        if loss.item() < 0.05:
            continue
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append(total)
