# expect: loss checkpoint net.block1.0.weight, net.block1.2.weight
# check: missing(net.block1[0].weight)
import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block1 = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 6))
        self.head = nn.Linear(6, 1)

    def forward(self, x):
        h = checkpoint(self.block1, x, use_reentrant=True)  # <- here
        return self.head(h)


net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(16, 6), torch.randn(16, 1)
for i in range(4):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, loss.item())
