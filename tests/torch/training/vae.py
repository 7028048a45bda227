"""A variational autoencoder of small images, with rsample and the divergence of torch.distributions."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Normal, kl_divergence

torch.manual_seed(0)
rows, columns = torch.meshgrid(torch.arange(8.0), torch.arange(8.0), indexing="ij")
centers = torch.rand(200, 2, 1, 1) * 8
images = torch.exp(-((rows - centers[:, 0]) ** 2 + (columns - centers[:, 1]) ** 2) / 4).flatten(1)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 32), nn.ReLU())
        self.mean, self.log_variance = nn.Linear(32, 2), nn.Linear(32, 2)
        self.decoder = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 64), nn.Sigmoid())

    def forward(self, x):
        h = self.encoder(x)
        q = Normal(self.mean(h), torch.exp(0.5 * self.log_variance(h)))
        return self.decoder(q.rsample()), q


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
prior = Normal(torch.zeros(2), torch.ones(2))
for _ in range(50):
    x = images[torch.randperm(200)[:64]]
    again, q = model(x)
    reconstruction = F.binary_cross_entropy(again, x, reduction="sum") / len(x)
    divergence = kl_divergence(q, prior).sum(-1).mean()
    loss = reconstruction + divergence
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), reconstruction.item(), divergence.item())
