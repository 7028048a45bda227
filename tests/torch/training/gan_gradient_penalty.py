"""A Wasserstein GAN in the plane with gradient penalty: the gradient's norm is differentiated again; RMSprop."""

# to 1e-4 of its value
# Its reason: the critic's loss is the difference of two larger numbers.

import math

import torch
from torch import autograd, nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(2, 32), nn.SiLU(), nn.Linear(32, 1))
of_generator = torch.optim.RMSprop(generator.parameters(), lr=2e-3)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=2e-3)


def real(n):
    angle = 2 * math.pi * torch.rand(n)
    return torch.stack([torch.cos(angle), torch.sin(angle)], 1) + 2


for _ in range(50):
    x, fake = real(64), generator(torch.randn(64, 2)).detach()
    mixed = torch.lerp(x, fake, torch.rand(64, 1)).requires_grad_()
    (slope,) = autograd.grad(critic(mixed).sum(), mixed, create_graph=True)
    penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
    distance = critic(x).mean() - critic(fake).mean()
    of_critic.zero_grad()
    (10 * penalty - distance).backward()
    of_critic.step()
    of_generator.zero_grad()
    (-critic(generator(torch.randn(64, 2))).mean()).backward()
    of_generator.step()
    print(penalty.item(), distance.item())
