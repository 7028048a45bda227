# expect: loss sample-has-no-gradient vae.mu.weight, vae.log_sigma.weight
# check: missing(vae.mu.weight, vae.log_sigma.weight) and not missing(vae.out.weight)
import torch
from torch import nn
from torch.distributions import Normal


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu, self.log_sigma = nn.Linear(6, 2), nn.Linear(6, 2)
        self.out = nn.Linear(2, 6)

    def forward(self, x):
        q = Normal(self.mu(x), self.log_sigma(x).exp())
        z = q.sample()  # <- here
        return self.out(z)


torch.manual_seed(0)
vae = VAE()
opt = torch.optim.Adam(vae.parameters(), lr=1e-2)
x = torch.randn(40, 6)
for epoch in range(5):
    loss = (vae(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
