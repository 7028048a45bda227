# expect: stale|loss not-registered-so-not-in-the-optimiser model.heads['x'].weight, model.heads['y'].weight
# check: unused(model.heads["x"].weight, model.heads["y"].weight)
import torch
import torch.nn as nn


class Multi(nn.Module):
    def __init__(self):
        super(Multi, self).__init__()
        self.base = nn.Linear(4, 6)
        self.heads = {name: nn.Linear(6, 1) for name in ("x", "y")}  # <- here

    def forward(self, v):
        h = self.base(v).tanh()
        return {name: head(h) for name, head in self.heads.items()}


torch.manual_seed(0)
model = Multi()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  # <- here
v = torch.randn(30, 4)
for epoch in range(6):
    out = model(v)
    loss = (out["x"] - v[:, :1]).pow(2).mean() + (out["y"] - v[:, 1:2]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
