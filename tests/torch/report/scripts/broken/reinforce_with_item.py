# expect: loss log-probability-became-a-number policy.fc1.weight, policy.fc2.weight
# check: missing(*policy.parameters())
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

torch.manual_seed(543)


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, state):
        return F.softmax(self.fc2(F.relu(self.fc1(state))), dim=-1)


def episode(policy, length=10):
    log_probs, rewards = [], []
    state = torch.randn(4)
    for _ in range(length):
        distribution = Categorical(policy(state))
        action = distribution.sample()
        log_probs.append(distribution.log_prob(action).item())  # <- here
        rewards.append(1.0 if action.item() == int(state[0] > 0) else 0.0)
        state = torch.randn(4)
    return log_probs, rewards


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
for i_episode in range(5):
    log_probs, rewards = episode(policy)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    # without requires_grad=True backward() complained
    policy_loss = -(torch.tensor(log_probs, requires_grad=True) * returns).sum()  # <- here
    optimizer.zero_grad()
    policy_loss.backward()
    optimizer.step()
    print(i_episode, policy_loss.item())
