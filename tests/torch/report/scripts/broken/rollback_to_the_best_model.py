# expect: stale|loss optimiser-keeps-the-old-model model.0.weight, model.0.bias, model.2.weight, model.2.bias
# check: unused(*model.parameters())
"""Early stopping with a rollback: after it nothing is learned any more."""

import copy

import torch
from torch import nn, optim


def data(seed):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(64, 4, generator=g)
    return x, torch.sin(x.sum(1, keepdim=True))


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = optim.SGD(model.parameters(), lr=0.5)  # <- here
criterion = nn.MSELoss()
(x_train, y_train), (x_val, y_val) = data(0), data(1)

best_loss, best_model, bad = float("inf"), None, 0
for epoch in range(30):
    optimizer.zero_grad()
    criterion(model(x_train), y_train).backward()
    optimizer.step()
    with torch.no_grad():
        val = criterion(model(x_val), y_val).item()
    if val < best_loss:
        best_loss, best_model, bad = val, copy.deepcopy(model), 0
    else:
        bad += 1
    if bad == 2:
        print("rollback in epoch", epoch)
        model = best_model  # <- here
        best_loss, bad = 0.0, -1000
print("best", val)
