# check: losses[-1] < losses[0] and 0 <= active[-1] <= 1
import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(12, 24), nn.Linear(24, 12)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
x = torch.randn(80, 12)
losses, active = [], []
for _ in range(20):
    code = torch.relu(enc(x))
    loss = (dec(code) - x).pow(2).mean() + 1e-3 * code.abs().sum(1).mean()
    opt.zero_grad()
    loss.backward()
    with torch.no_grad():
        dec.weight.grad -= (dec.weight.grad * dec.weight).sum(0) * dec.weight / dec.weight.norm(dim=0).pow(2)
    opt.step()
    with torch.no_grad():
        dec.weight /= dec.weight.norm(dim=0, keepdim=True)
    active.append((code > 0).float().mean().item())
    losses.append(loss.item())
