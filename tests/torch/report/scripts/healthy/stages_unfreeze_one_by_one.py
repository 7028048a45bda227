# check: losses[-1] < losses[0] and stem.weight.grad is not None
import torch
from torch import nn

torch.manual_seed(0)
stem, middle, head = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 2)
model = nn.Sequential(stem, nn.ReLU(), middle, nn.ReLU(), head)
for layer in (stem, middle):
    layer.requires_grad_(False)
optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
x = torch.randn(60, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
losses = []
for epoch in range(24):
    if epoch in (8, 16):
        layer = middle if epoch == 8 else stem
        layer.requires_grad_(True)
        optimizer.add_param_group({"params": layer.parameters(), "lr": 0.05})
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
