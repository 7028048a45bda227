# check: losses[-1] < losses[0]
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 6))
h = nn.Linear(6, 6)
opt = torch.optim.SGD([*f.parameters(), *h.parameters()], lr=0.1)
x = torch.randn(40, 8)
losses = []
for _ in range(20):
    z1, z2 = f(x + 0.1 * torch.randn_like(x)), f(x + 0.1 * torch.randn_like(x))
    loss = -(F.cosine_similarity(h(z1), z2.detach()).mean() + F.cosine_similarity(h(z2), z1.detach()).mean()) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
