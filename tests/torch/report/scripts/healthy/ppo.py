# check: values[-1] < values[0]
# old log-probabilities are constants, ratios have gradients; several epochs over one batch
import torch
import torch.nn as nn
from torch.distributions import Normal

torch.manual_seed(0)
mean = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
log_std = nn.Parameter(torch.zeros(1))
value = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam([*mean.parameters(), log_std, *value.parameters()], lr=1e-2)
values = []
for iteration in range(6):
    states = torch.randn(64, 2)
    with torch.no_grad():
        dist = Normal(mean(states), log_std.exp())
        actions = dist.sample()
        old_log_prob = dist.log_prob(actions)
        rewards = -(actions - states.sum(1, keepdim=True)).abs()
        advantages = rewards - value(states)
        advantages = (advantages - advantages.mean()) / advantages.std()
    for epoch in range(4):
        log_prob = Normal(mean(states), log_std.exp()).log_prob(actions)
        ratio = (log_prob - old_log_prob).exp()
        clipped = ratio.clamp(0.8, 1.2)
        policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        value_loss = (value(states) - rewards).pow(2).mean()
        opt.zero_grad()
        (policy_loss + 0.5 * value_loss).backward()
        opt.step()
    values.append(value_loss.item())
