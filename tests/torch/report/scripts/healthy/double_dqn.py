# check: losses[-1] < losses[0]
"""Double DQN on random transitions; the target network is a copy that lags behind."""

import copy
import random
from collections import deque

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
random.seed(0)


class QNet(nn.Module):
    def __init__(self, n_obs=4, n_actions=3):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 16), nn.ReLU(), nn.Linear(16, n_actions))

    def forward(self, obs):
        return self.net(obs)


online = QNet()
target = copy.deepcopy(online)
optimizer = torch.optim.Adam(online.parameters(), lr=5e-3)
replay = deque(maxlen=200)

for _ in range(200):
    s = torch.randn(4)
    a = online(s).argmax().item() if random.random() > 0.3 else random.randrange(3)
    replay.append((s, a, float(s[a] > 0), torch.randn(4)))

losses = []
for step in range(40):
    states, actions, rewards, nexts = zip(*random.sample(replay, 32))
    states, nexts = torch.stack(states), torch.stack(nexts)
    actions, rewards = torch.tensor(actions), torch.tensor(rewards)
    with torch.no_grad():
        best = online(nexts).argmax(dim=1, keepdim=True)
        q_next = target(nexts).gather(1, best).squeeze(1)
        wanted = rewards + 0.5 * q_next
    q = online(states).gather(1, actions.unsqueeze(1)).squeeze(1)
    loss = F.smooth_l1_loss(q, wanted)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(online.parameters(), 100)
    optimizer.step()
    losses.append(loss.item())
    if step % 10 == 0:
        target.load_state_dict(online.state_dict())
