# expect: nonfinite zero-divided-by-zero detector.0.weight, detector.2.bias
# check: bool(detector[0].weight.isnan().all() and detector[2].bias.isnan().all())
"""A detector: every image has boxes, but not every batch has boxes of each class."""

import torch
from torch import nn

torch.manual_seed(0)
detector = nn.Sequential(nn.Linear(12, 10), nn.ReLU(), nn.Linear(10, 4))
optimizer = torch.optim.SGD(detector.parameters(), lr=0.01)
boxes = torch.rand(5, 6, 4)
kinds = torch.tensor(
    [[0, 1, 1, 0, 2, 1], [2, 2, 0, 1, 0, 0], [1, 1, 1, 0, 0, 1], [0, 2, 1, 2, 0, 1], [1, 0, 2, 2, 1, 0]]
)
views = torch.randn(5, 6, 12)

for batch in range(5):
    predicted = detector(views[batch])
    errors = (predicted - boxes[batch]).abs().sum(dim=1)
    loss = 0
    for kind in range(3):
        of_kind = (kinds[batch] == kind).float()
        loss = loss + (errors * of_kind).sum() / of_kind.sum()  # <- here
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(batch, loss.item())
