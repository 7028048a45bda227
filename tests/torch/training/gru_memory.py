"""A GRU learns to give the first element of a sequence back at its end; SGD with momentum, written out."""

import torch
from torch import nn

torch.manual_seed(0)


class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 16, batch_first=True)
        self.out = nn.Linear(16, 4)

    def forward(self, x):
        h, _ = self.gru(x)
        return self.out(h[:, -1])


model = Memory()
velocity = [torch.zeros_like(p) for p in model.parameters()]
for _ in range(50):
    x = torch.randn(32, 6, 4)
    loss = ((model(x) - x[:, 0]) ** 2).mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p, v in zip(model.parameters(), velocity):
            v.mul_(0.9).add_(p.grad)
            p.sub_(v, alpha=0.3)
    print(loss.item())
