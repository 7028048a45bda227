# check: mean_rewards[-1] > mean_rewards[0]
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
policy = nn.Linear(2, 1)
log_std = nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([*policy.parameters(), log_std], lr=0.05)
mean_rewards = []
for _ in range(40):
    s = torch.randn(128, 2)
    dist = Normal(policy(s), log_std.exp())
    a = dist.sample()
    r = -(a - s.sum(1, keepdim=True) - 1).pow(2)
    advantage = (r - r.mean()) / r.std()
    loss = -(dist.log_prob(a) * advantage).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    mean_rewards.append(r.mean().item())
