# check: losses[-1] < losses[0]
import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, n=8, z=2):
        super().__init__()
        self.body = nn.Linear(n, 12)
        self.mu, self.logvar = nn.Linear(12, z), nn.Linear(12, z)
        self.decoder = nn.Sequential(nn.Linear(z, 12), nn.ReLU(), nn.Linear(12, n))

    def encode(self, x):
        h = F.relu(self.body(x))
        return self.mu(h), self.logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        return self.decoder(self.reparameterize(mu, logvar)), mu, logvar


torch.manual_seed(1)
model = VAE()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.sigmoid(torch.randn(80, 2) @ torch.randn(2, 8) * 2)
losses = []
for epoch in range(20):
    opt.zero_grad()
    out, mu, logvar = model(x)
    bce = F.binary_cross_entropy_with_logits(out, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    (bce + kld).backward()
    opt.step()
    losses.append((bce + kld).item() / len(x))
with torch.no_grad():
    print(model.decoder(torch.randn(2, 2)).sigmoid())
