# check: losses[-1] < losses[0]
# one forward, two backwards before the step: the gradients shall add up
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(50, 4)
u, v = x.sum(1), x[:, 0] * x[:, 1]
losses = []
for _ in range(20):
    opt.zero_grad()
    out = net(x)
    first = (out[:, 0] - u).abs().mean()
    second = (out[:, 1] - v).abs().mean()
    first.backward(retain_graph=True)
    second.backward()
    opt.step()
    losses.append((first + second).item())
