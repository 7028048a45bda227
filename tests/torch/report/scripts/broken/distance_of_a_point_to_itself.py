# expect: nonfinite square-root-at-zero points
# check: nonfinite(points)
"""Multidimensional scaling: place cities on a map by their distances."""

import torch

torch.manual_seed(0)
cities = torch.rand(6, 2) * 100
road = (cities[:, None] - cities[None]).pow(2).sum(-1).sqrt()

points = torch.randn(6, 2, requires_grad=True)
optimizer = torch.optim.SGD([points], lr=0.01)


def distances(p):
    difference = p.unsqueeze(1) - p.unsqueeze(0)
    return torch.sqrt((difference**2).sum(dim=-1))  # <- here


for step in range(5):
    stress = (distances(points) - road).pow(2).mean()
    optimizer.zero_grad()
    stress.backward()
    optimizer.step()
    print(step, stress.item())
