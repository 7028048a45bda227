# expect: error parameters-changed-between-forward-and-backward actor.2.weight, critic.2.weight
# check: raised("modified by an inplace operation")
# actor and critic
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
critic = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
actor_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
critic_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)

for step in range(3):
    state, reward = torch.randn(12, 3), torch.randn(12, 1)
    action = actor(state)
    value = critic(torch.cat([state, action], dim=1))
    critic_loss = (value - reward).pow(2).mean()
    actor_loss = -value.mean()

    critic_opt.zero_grad()
    critic_loss.backward(retain_graph=True)
    critic_opt.step()  # <- here

    actor_opt.zero_grad()
    actor_loss.backward()
    actor_opt.step()
    print(step, critic_loss.item(), actor_loss.item())
