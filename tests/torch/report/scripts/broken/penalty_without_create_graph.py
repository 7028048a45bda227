# expect: loss penalty-without-create-graph penalty, critic.0.weight
# check: not penalty.requires_grad
"""A critic with a gradient penalty, which does not penalise anything."""

import torch
from torch import autograd, nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.5, 0.9))


def gradient_penalty(real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    (slope,) = autograd.grad(score.sum(), mixed)  # <- here
    return ((slope.norm(2, dim=1) - 1) ** 2).mean()


for step in range(5):
    real = torch.randn(16, 2) * 0.1 + 1
    fake = torch.rand(16, 2)
    penalty = gradient_penalty(real, fake)
    d_loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    d_loss.backward()
    optimizer.step()
    print(f"{step}: {d_loss.item():.3f} penalty {penalty.item():.3f}")
