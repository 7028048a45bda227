# check: losses[-1] < losses[0]
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class BYOL(nn.Module):
    def __init__(self, n_in=10, width=8):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(n_in, 16), nn.ReLU(), nn.Linear(16, width))
        self.predictor = nn.Linear(width, width)
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False

    def loss(self, a, b):
        p = F.normalize(self.predictor(self.online(a)), dim=-1)
        with torch.no_grad():
            z = F.normalize(self.target(b), dim=-1)
        return 2 - 2 * (p * z).sum(-1).mean()

    @torch.no_grad()
    def momentum(self, tau=0.99):
        for o, t in zip(self.online.parameters(), self.target.parameters()):
            t.data = tau * t.data + (1 - tau) * o.data


model = BYOL()
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=5e-3)
x = torch.randn(64, 10)
losses = []
for _ in range(25):
    a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    loss = model.loss(a, b) + model.loss(b, a)
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.momentum()
    losses.append(loss.item())
