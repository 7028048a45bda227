# expect: loss|stale new-parameter-in-forward-is-unknown-to-the-optimiser layer.weight
# check: not any(layer.weight is p for g in optimizer.param_groups for p in g["params"])
import torch
from torch import nn


class MaskedLinear(nn.Module):
    """A linear layer, some weights of which are pruned."""

    def __init__(self, n_in, n_out, keep):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) / n_in**0.5)
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.register_buffer("mask", keep)

    def forward(self, x):
        self.weight = nn.Parameter(self.weight * self.mask)  # <- here
        return nn.functional.linear(x, self.weight, self.bias)


torch.manual_seed(0)
keep = (torch.rand(2, 6) > 0.3).float()
layer = MaskedLinear(6, 2, keep)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
x = torch.randn(64, 6)
y = torch.stack([x[:, 0] - x[:, 1], x[:, 2]], dim=1)
for _ in range(20):
    loss = ((layer(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
