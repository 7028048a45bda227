"""Learning to learn sines (MAML): the outer gradient goes through the inner steps, with functional_call."""

import math

import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def task():
    amplitude, phase = 0.5 + 2 * torch.rand(1), math.pi * torch.rand(1)

    def samples(n):
        x = 10 * torch.rand(n, 1) - 5
        return x, amplitude * torch.sin(x + phase)

    return samples


def loss_of(parameters, x, y):
    return nn.functional.mse_loss(functional_call(model, parameters, (x,)), y)


for _ in range(50):
    total = 0.0
    for _ in range(4):
        samples = task()
        adapted = dict(model.named_parameters())
        for _ in range(2):
            gradients = torch.autograd.grad(loss_of(adapted, *samples(10)), list(adapted.values()), create_graph=True)
            adapted = {name: p - 0.02 * g for (name, p), g in zip(adapted.items(), gradients)}
        total = total + loss_of(adapted, *samples(10)) / 4
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    print(total.item())
