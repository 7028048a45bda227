# expect: stale not-registered net.scale
# check: all(p is not net.scale for p in net.parameters())
import torch
import torch.nn as nn

torch.manual_seed(0)


class Attention2(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.out = nn.Linear(d, 1)
        self.scale = nn.Parameter(torch.ones(d)).mul(0.5)  # <- here

    def forward(self, x):
        return self.out(x * self.scale)


net = Attention2()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = torch.randn(8, 4), torch.randn(8, 1)
loss = nn.functional.mse_loss(net(x), y)
opt.zero_grad()
loss.backward()
opt.step()
print(loss.item())
