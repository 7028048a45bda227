# check: history["b"][-1] < history["b"][0]
import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
trunk = nn.Linear(4, 8)
heads = nn.ModuleDict({"a": nn.Linear(8, 1), "b": nn.Linear(8, 1), "c": nn.Linear(8, 1)})
opt = torch.optim.SGD([*trunk.parameters(), *heads.parameters()], lr=0.05)
x = torch.randn(40, 4)
truth = {"a": x[:, :1], "b": x[:, 1:2] + 1, "c": -x[:, 2:3]}
history = {name: [] for name in heads}
for step in range(60):
    name = random.choice(["a", "b", "c"])
    loss = nn.functional.mse_loss(heads[name](trunk(x).relu()), truth[name])
    opt.zero_grad()
    loss.backward()
    opt.step()
    history[name].append(loss.item())
