# expect: loss generator-loss-on-a-detached-sample generator.0.weight, generator.2.weight
# check: missing(*generator.parameters())
import torch
import torch.nn as nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
discriminator = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
loss_fn = nn.BCEWithLogitsLoss()


def sample(n):
    return generator(torch.randn(n, 2)).detach()  # <- here


for epoch in range(6):
    real = torch.randn(16, 1) + 3
    fake = sample(16)
    d_loss = loss_fn(discriminator(real), torch.ones(16, 1)) + loss_fn(discriminator(fake), torch.zeros(16, 1))
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()

    g_loss = loss_fn(discriminator(sample(16)), torch.ones(16, 1))
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
    print(epoch, d_loss.item(), g_loss.item())
