# check: losses[-1] < losses[0]
import torch
from torch import nn

torch.manual_seed(0)
field = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(field.parameters(), lr=1e-2)
t = torch.linspace(0, 1, 6)
truth = torch.stack([torch.cos(2 * t), torch.sin(2 * t)], 1)


def solve(y):
    path, errors = [y], []
    for dt in t[1:] - t[:-1]:
        k1 = field(y)
        k2 = field(y + dt / 2 * k1)
        errors.append(((k2 - k1).norm() * dt).item())
        y = y + dt * k2
        path.append(y)
    return torch.stack(path), max(errors)


losses, worst = [], []
for _ in range(25):
    path, error = solve(truth[0])
    loss = (path - truth).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
    worst.append(error)
