# check: losses[-1] < losses[0]
import math

import torch

torch.manual_seed(0)
x = torch.linspace(0, 4, 25, dtype=torch.float64)
y = torch.sin(2 * x) + 0.1 * torch.randn(25, dtype=torch.float64)
log_scale, log_noise, log_height = (torch.zeros((), dtype=torch.float64, requires_grad=True) for _ in range(3))
opt = torch.optim.Adam([log_scale, log_noise, log_height], lr=0.1)
losses = []
for _ in range(25):
    d = (x[:, None] - x[None]) / log_scale.exp()
    K = log_height.exp() * torch.exp(-0.5 * d**2) + log_noise.exp() * torch.eye(25, dtype=torch.float64)
    L = torch.linalg.cholesky(K)
    a = torch.cholesky_solve(y[:, None], L)
    loss = 0.5 * (y @ a.squeeze(1)) + L.diagonal().log().sum() + 12.5 * math.log(2 * math.pi)
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
