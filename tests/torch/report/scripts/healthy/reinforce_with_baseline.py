# check: sum(returns[-15:]) > sum(returns[:15])
import torch
import torch.nn as nn
from torch.distributions import Categorical

torch.manual_seed(1)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.05)
returns, baseline = [], 0.0
for episode in range(45):
    log_probs, rewards = [], []
    for _ in range(6):
        state = torch.randn(3)
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(1.0 if action.item() == int(state[0].item() > 0) else 0.0)
    total = sum(rewards)
    baseline = 0.9 * baseline + 0.1 * total
    loss = -torch.stack(log_probs).sum() * (total - baseline)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    returns.append(total)
