# check: losses[-1] < losses[0] and bool((layer.weight == 0).any())
import torch
from torch import nn


class Masked(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(n_out, n_in) / n_in**0.5)
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.register_buffer("mask", (self.raw.detach().abs() > 0.2).float())

    @property
    def weight(self):
        return self.raw * self.mask

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


torch.manual_seed(0)
layer = Masked(10, 3)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
x = torch.randn(60, 10)
y = x[:, :3] * 2
losses = []
for _ in range(20):
    loss = (layer(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
