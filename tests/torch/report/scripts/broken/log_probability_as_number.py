# expect: loss item policy.fc1.weight, policy.fc2.weight
# check: missing(policy.fc1.weight)
import math

import torch
import torch.nn as nn

torch.manual_seed(0)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        return torch.softmax(self.fc2(torch.relu(self.fc1(x))), dim=-1)


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select_action(state):
    probs = policy(state)
    action = torch.multinomial(probs, 1).item()
    return action, math.log(probs[action].item())  # <- here


for episode in range(3):
    log_probs, rewards = [], []
    for t in range(6):
        s = torch.randn(4)
        a, lp = select_action(s)
        log_probs.append(lp)
        rewards.append(1.0 if (s.sum() > 0) == bool(a) else -1.0)
    returns = [sum(rewards[i:]) for i in range(len(rewards))]
    loss = torch.tensor([-lp * R for lp, R in zip(log_probs, returns)], requires_grad=True).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(episode, loss.item())
