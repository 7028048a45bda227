# check: losses[-1] < losses[0]
"""A surrogate of a simulator written in NumPy: its outputs are targets, so nothing is lost on the way."""

import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
torch.manual_seed(0)


def simulator(parameters):
    a, b = parameters[:, 0], parameters[:, 1]
    return np.stack([np.sin(a) * b, np.exp(-a * a)], axis=1)


surrogate = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
optimizer = torch.optim.Adam(surrogate.parameters(), lr=1e-2)
losses = []
for epoch in range(25):
    points = rng.uniform(-1, 1, size=(64, 2))
    if epoch > 5:  # look where the surrogate is large
        guess = surrogate(torch.tensor(points, dtype=torch.float32)).detach().numpy()
        points = points[np.argsort(-np.abs(guess).sum(1))[:32]]
    inputs = torch.as_tensor(points, dtype=torch.float32)
    targets = torch.from_numpy(simulator(points)).float()
    loss = nn.functional.mse_loss(surrogate(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
