# check: losses[-1] < losses[0]
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(200, 3)
y = x.prod(1)
priority = np.ones(200)
losses = []
for step in range(40):
    p = priority / priority.sum()
    rows = rng.choice(200, size=32, p=p)
    weight = torch.as_tensor((1 / (200 * p[rows])) ** 0.5, dtype=torch.float32)
    td = net(x[rows]).squeeze(1) - y[rows]
    loss = (weight * td.pow(2)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    priority[rows] = td.detach().abs().numpy() + 0.01
    with torch.no_grad():
        losses.append((net(x).squeeze(1) - y).pow(2).mean().item())
