# expect: loss values-left-through-numpy net.0.weight, net.0.bias
# check: missing(net[0].weight, net[0].bias) and not missing(head.weight)
"""The steering angle goes through a kinematic model that a colleague wrote with NumPy."""

import numpy as np
import torch
from torch import nn


def kinematics(angle):
    """Position after a turn, in NumPy."""
    return np.stack([np.sin(angle), 1 - np.cos(angle)], axis=-1)


torch.manual_seed(1)
net = nn.Sequential(nn.Linear(4, 1), nn.Tanh())
head = nn.Linear(2, 2)
optimizer = torch.optim.SGD(list(net.parameters()) + list(head.parameters()), lr=0.1)

sensors = torch.randn(64, 4)
wanted = torch.stack([sensors[:, 0].clamp(-1, 1), sensors[:, 1].clamp(-1, 1)], dim=-1)

for step in range(20):
    angle = net(sensors).squeeze(-1)
    position = torch.from_numpy(kinematics(angle.detach().numpy()))  # <- here
    error = ((head(position) - wanted) ** 2).mean()
    optimizer.zero_grad()
    error.backward()
    optimizer.step()

print("error", error.item())
