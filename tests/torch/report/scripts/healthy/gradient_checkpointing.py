# check: losses[-1] < losses[0]
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = nn.ModuleList([nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(4)])
head = nn.Linear(8, 1)
opt = torch.optim.SGD([*blocks.parameters(), *head.parameters()], lr=0.1)
x = torch.randn(40, 8)
y = x[:, :1]
losses = []
for _ in range(15):
    h = x
    for block in blocks:
        h = checkpoint(block, h, use_reentrant=False)
    loss = (head(h) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
