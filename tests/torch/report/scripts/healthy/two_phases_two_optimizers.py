# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(50, 4)
y = x[:, :1] ** 2
losses = []


def fit(optimizer, steps):
    def closure():
        optimizer.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(steps):
        optimizer.step(closure)


fit(torch.optim.Adam(model.parameters(), lr=1e-2), 15)
fit(torch.optim.LBFGS(model.parameters(), max_iter=5), 3)
