# expect: error saved-value-changed-in-place attention
# check: raised("modified by an inplace operation")
import torch
from torch import nn

torch.manual_seed(0)
q, k = nn.Linear(4, 4), nn.Linear(4, 4)
opt = torch.optim.SGD([*q.parameters(), *k.parameters()], lr=0.1)
x = torch.randn(6, 4)
pad = torch.tensor([False, False, False, False, True, True])
for step in range(2):
    attention = torch.softmax(q(x) @ k(x).T, dim=-1)
    attention[:, pad] = 0  # <- here
    loss = ((attention @ x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
