# check: losses[-1] < losses[0] and adapter.base.weight.grad is None
# B starts at zero, so in the first step A's gradient is zero: that is how LoRA starts
import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, base.in_features) * 0.1)
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.A.T @ self.B.T


torch.manual_seed(0)
adapter = LoRA(nn.Linear(6, 6))
opt = torch.optim.Adam([p for p in adapter.parameters() if p.requires_grad], lr=2e-2)
x = torch.randn(50, 6)
y = adapter.base(x) + x @ torch.randn(6, 1) @ torch.randn(1, 6)
losses = []
for _ in range(25):
    loss = (adapter(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
