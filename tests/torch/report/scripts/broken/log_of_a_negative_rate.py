# expect: nonfinite logarithm-of-negative nll
# check: bool(nll.isnan())
import torch
from torch import nn

torch.manual_seed(0)
rate = nn.Linear(2, 1)
opt = torch.optim.Adam(rate.parameters(), lr=1e-2)
x = torch.randn(40, 2)
counts = torch.poisson(torch.exp(x[:, :1]))
for epoch in range(3):
    lam = rate(x)
    nll = (lam - counts * torch.log(lam)).mean()  # <- here
    opt.zero_grad()
    nll.backward()
    opt.step()
    print(nll.item())
