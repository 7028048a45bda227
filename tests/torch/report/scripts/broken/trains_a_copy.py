# expect: loss the-loss-uses-a-copy-of-the-model student.0.weight, student.0.bias, student.2.weight, student.2.bias
# check: missing(*student.parameters()) and not missing(*ema.parameters())
import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
ema = copy.deepcopy(student)
optimizer = torch.optim.AdamW(student.parameters(), lr=1e-2)  # <- here

x = torch.randn(100, 4)
y = x.prod(dim=1, keepdim=True)

for epoch in range(10):
    prediction = ema(x)  # <- here
    loss = ((prediction - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for slow, fast in zip(ema.parameters(), student.parameters()):
            slow.mul_(0.9).add_(fast, alpha=0.1)
    print(f"epoch {epoch:2d} loss {loss.item():.4f}")
