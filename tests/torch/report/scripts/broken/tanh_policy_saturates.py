# expect: zero saturated-tanh actor.0.weight, actor.2.weight
# check: zero(*actor.parameters())
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
with torch.no_grad():
    for p in actor.parameters():
        p.copy_(p.abs() * 100)
opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
state = torch.rand(32, 3) + 1
for step in range(5):
    action = torch.tanh(actor(state))  # <- here
    cost = (action - 0.3).pow(2).mean()
    opt.zero_grad()
    cost.backward()
    opt.step()
    print(step, cost.item())
