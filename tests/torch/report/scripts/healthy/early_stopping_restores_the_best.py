# check: best < first
import copy

import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(40, 4), torch.randn(40, 1)
x_val, y_val = torch.randn(20, 4), torch.randn(20, 1)
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
best, best_state, patience, first = float("inf"), None, 3, None
for epoch in range(50):
    net.train()
    opt.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    opt.step()
    net.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(net(x_val), y_val).item()
    first = val if first is None else first
    if val < best - 1e-4:
        best, best_state, patience = val, copy.deepcopy(net.state_dict()), 3
    else:
        patience -= 1
        if patience == 0:
            break
net.load_state_dict(best_state)
print("stopped in epoch", epoch, best)
