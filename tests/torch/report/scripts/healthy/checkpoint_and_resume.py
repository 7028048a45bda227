# check: resumed_loss < first_loss
import os
import tempfile

import torch
from torch import nn


def build():
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
    return net, torch.optim.Adam(net.parameters(), lr=1e-2)


def run(net, optimizer, epochs):
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
    return loss.item()


x = torch.randn(50, 3, generator=torch.Generator().manual_seed(3))
y = x.sum(1, keepdim=True)
net, optimizer = build()
first_loss = run(net, optimizer, 1)
run(net, optimizer, 10)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "last.pt")
    torch.save({"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 10}, path)
    net, optimizer = build()
    state = torch.load(path)
net.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
resumed_loss = run(net, optimizer, 10)
print(first_loss, resumed_loss)
