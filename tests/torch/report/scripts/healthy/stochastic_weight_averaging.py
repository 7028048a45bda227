# check: averaged < losses[0]
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 10), nn.ReLU(), nn.Linear(10, 1))
swa = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(70, 3)
y = x[:, :1].abs()
losses = []
for epoch in range(20):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
    if epoch >= 10:
        swa.update_parameters(net)
with torch.no_grad():
    averaged = nn.functional.mse_loss(swa(x), y).item()
