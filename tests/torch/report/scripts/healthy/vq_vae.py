# check: losses[-1] < losses[0] and enc.weight.grad.abs().sum() > 0
import torch
import torch.nn.functional as F
from torch import nn


class Quantizer(nn.Module):
    def __init__(self, n_codes, width, beta=0.25):
        super().__init__()
        self.codes = nn.Embedding(n_codes, width)
        nn.init.uniform_(self.codes.weight, -1, 1)
        self.beta = beta

    def forward(self, z):
        distance = torch.cdist(z.detach(), self.codes.weight.detach())
        index = distance.argmin(dim=1)
        q = self.codes(index)
        commitment = F.mse_loss(q, z.detach()) + self.beta * F.mse_loss(z, q.detach())
        return z + (q - z).detach(), commitment


torch.manual_seed(0)
enc, quantizer, dec = nn.Linear(8, 3), Quantizer(16, 3), nn.Linear(3, 8)
params = [*enc.parameters(), *quantizer.parameters(), *dec.parameters()]
opt = torch.optim.Adam(params, lr=1e-2)
x = torch.randn(64, 3) @ torch.randn(3, 8)
losses = []
for _ in range(30):
    q, commitment = quantizer(enc(x))
    reconstruction = F.mse_loss(dec(q), x)
    loss = reconstruction + commitment
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(reconstruction.item())
