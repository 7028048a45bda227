# check: critic_losses[-1] < critic_losses[0]
# the actor's loss leaves gradients in the critic, which are cleared before the critic's own
import copy

import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
actor_target, critic_target = copy.deepcopy(actor), copy.deepcopy(critic)
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-2)
critic_losses = []
for step in range(40):
    s, s2 = torch.randn(64, 3), torch.randn(64, 3)
    a = (actor(s).detach() + 0.3 * torch.randn(64, 1)).clamp(-1, 1)
    r = -(a - s[:, :1].tanh()).abs()
    with torch.no_grad():
        target = r + 0.5 * critic_target(torch.cat([s2, actor_target(s2)], 1))
    critic_loss = nn.functional.mse_loss(critic(torch.cat([s, a], 1)), target)
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()

    actor_loss = -critic(torch.cat([s, actor(s)], 1)).mean()
    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()

    for net, slow in ((actor, actor_target), (critic, critic_target)):
        for p, q in zip(net.parameters(), slow.parameters()):
            q.data.mul_(0.99).add_(0.01 * p.data)
    critic_losses.append(critic_loss.item())
