# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
x = torch.randn(50, 4)
y = x[:, :1].abs()


def freeze(module):
    if isinstance(module, nn.BatchNorm1d):
        module.eval()
        module.weight.requires_grad = False
        module.bias.requires_grad = False


net.train().apply(freeze)
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
losses = []
for _ in range(25):
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
