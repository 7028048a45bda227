# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
dynamics = nn.Linear(3, 2)
opt = torch.optim.Adam(dynamics.parameters(), lr=2e-2)
true = torch.tensor([[0.9, 0.1, 0.3], [-0.1, 0.9, 0.1]])
losses = []
for _ in range(25):
    s = torch.randn(32, 2)
    guess, loss = s, 0.0
    for t in range(5):
        a = torch.randn(32, 1)
        s = torch.cat([s, a], 1) @ true.T
        guess = dynamics(torch.cat([guess, a], 1))
        loss = loss + (guess - s).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
