# check: penalties[-1] < penalties[0]
import torch
from torch import autograd, nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 16), nn.Softplus(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
penalties = []
for step in range(25):
    real, fake = torch.randn(32, 2) + 1, torch.rand(32, 2)
    t = torch.rand(32, 1)
    between = (t * real + (1 - t) * fake).requires_grad_(True)
    (slope,) = autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = ((slope.norm(dim=1) - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    penalties.append(penalty.item())
