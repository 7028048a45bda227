# expect: zero all-units-of-a-relu-are-off net.0.weight, net.0.bias, net.2.weight
# check: zero(net[0].weight, net[0].bias, net[2].weight) and not zero(net[2].bias)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
nn.init.constant_(net[0].bias, -100.0)  # <- here

optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(128, 3)
y = x.abs().sum(dim=1, keepdim=True)

for epoch in range(20):
    optimizer.zero_grad()
    out = net(x)  # <- here
    loss = nn.functional.mse_loss(out, y)
    loss.backward()
    optimizer.step()
    if epoch % 5 == 0:
        print(f"{epoch:3d} {loss.item():.5f}")
