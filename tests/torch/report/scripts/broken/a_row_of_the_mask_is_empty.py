# expect: nonfinite softmax-of-a-row-of-minus-infinity attention.q.weight, attention.k.weight, attention.v.weight
# check: nonfinite(attention.q.weight, attention.k.weight, attention.v.weight)
import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)

    def forward(self, x, present):
        scores = self.q(x) @ self.k(x).transpose(-2, -1) / math.sqrt(x.shape[-1])
        scores = scores.masked_fill(~present[:, None, :], float("-inf"))  # <- here
        weights = scores.softmax(dim=-1)  # <- here
        return weights @ self.v(x)


torch.manual_seed(0)
lengths = torch.tensor([5, 3, 0, 4])  # an empty text slipped in
present = torch.arange(5)[None, :] < lengths[:, None]
x = torch.randn(4, 5, 8)
attention = SelfAttention(8)
opt = torch.optim.Adam(attention.parameters(), lr=1e-3)
for _ in range(2):
    opt.zero_grad()
    loss = (attention(x, present) - x).pow(2)[present].mean()
    loss.backward()
    opt.step()
    print(loss.item())
