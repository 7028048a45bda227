# expect: nonfinite exponential-overflows vae.to_logvar.weight
# check: nonfinite(vae.to_logvar.weight)
import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.to_mu = nn.Linear(6, 2)
        self.to_logvar = nn.Linear(6, 2)
        self.decode = nn.Linear(2, 6)

    def forward(self, x):
        mu, logvar = self.to_mu(x), self.to_logvar(x)
        std = torch.exp(0.5 * logvar)  # <- here
        z = mu + std * torch.randn_like(std)
        kl = -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())  # <- here
        return self.decode(z), kl


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.SGD(vae.parameters(), lr=1e-3)
counts = torch.rand(20, 6) * 1000  # raw counts
for epoch in range(2):
    reconstructed, kl = vae(counts)
    loss = F.mse_loss(reconstructed, counts) + kl
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
