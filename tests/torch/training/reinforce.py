"""A policy learns to balance a pole: REINFORCE with an environment of its own, actions drawn by Categorical."""

import math
from collections import deque

import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(543)


class Pole:
    """A cart that is pushed left or right under a pole; an episode ends when the pole leans over."""

    def reset(self):
        self.state = (0.1 * torch.rand(4, dtype=torch.float64) - 0.05).tolist()
        return torch.tensor(self.state, dtype=torch.float32)

    def step(self, action):
        x, v, angle, spin = self.state
        force = 10.0 if action == 1 else -10.0
        sin, cos = math.sin(angle), math.cos(angle)
        push = (force + 0.05 * spin**2 * sin) / 1.1
        turn = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos**2 / 1.1))
        self.state = [
            x + 0.02 * v,
            v + 0.02 * (push - 0.05 * turn * cos / 1.1),
            angle + 0.02 * spin,
            spin + 0.02 * turn,
        ]
        done = abs(self.state[0]) > 2.4 or abs(self.state[2]) > 0.21
        return torch.tensor(self.state, dtype=torch.float32), 1.0, done


policy = nn.Sequential(nn.Linear(4, 32), nn.Dropout(p=0.1), nn.ReLU(), nn.Linear(32, 2), nn.Softmax(dim=-1))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
environment = Pole()
for _ in range(25):
    state, log_probs, rewards = environment.reset(), [], []
    for _ in range(60):
        chances = Categorical(policy(state.unsqueeze(0)))
        action = chances.sample()
        log_probs.append(chances.log_prob(action))
        state, reward, done = environment.step(action.item())
        rewards.append(reward)
        if done:
            break
    total, returns = 0.0, deque()
    for reward in reversed(rewards):
        total = reward + 0.99 * total
        returns.appendleft(total)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + torch.finfo(torch.float32).eps)
    loss = torch.cat([-p * r for p, r in zip(log_probs, returns)]).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(-len(rewards), -torch.cat(log_probs).mean().item())  # the loss has terms of both signs, which cancel
