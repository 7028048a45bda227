# check: losses[-1] < losses[0] and model[0].weight.grad.abs().sum() > 0
import torch
from torch import nn


class BinaryActivation(nn.Module):
    def forward(self, x):
        soft = torch.sigmoid(x)
        hard = (soft > 0.5).float()
        return hard - soft.detach() + soft


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 12), BinaryActivation(), nn.Linear(12, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
x = torch.randn(100, 4)
y = (x[:, :1] * x[:, 1:2] > 0).float()
losses = []
for _ in range(40):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
