# check: losses[-1] < losses[0] and all(p.grad is None for p in teacher.parameters())
import copy

import torch
from torch import nn

torch.manual_seed(0)
student = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 2))
teacher = copy.deepcopy(student)
for p in teacher.parameters():
    p.requires_grad_(False)


@torch.no_grad()
def update_teacher(decay=0.95):
    for slow, fast in zip(teacher.parameters(), student.parameters()):
        slow.mul_(decay).add_(fast, alpha=1 - decay)


optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
x = torch.randn(64, 5)
y = torch.stack([x[:, 0] + x[:, 1], x[:, 2]], 1)
unlabeled = torch.randn(64, 5)
losses = []
for _ in range(30):
    supervised = nn.functional.mse_loss(student(x), y)
    consistency = nn.functional.mse_loss(student(unlabeled + 0.1 * torch.randn(64, 5)), teacher(unlabeled))
    loss = supervised + 0.3 * consistency
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update_teacher()
    losses.append(loss.item())
