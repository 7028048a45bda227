# check: critic_losses[-1] < critic_losses[0]
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 16)
        self.actor = nn.Linear(16, 2)
        self.critic = nn.Linear(16, 1)

    def forward(self, s):
        h = torch.relu(self.body(s))
        return F.log_softmax(self.actor(h), -1), self.critic(h).squeeze(-1)


net = ActorCritic()
opt = torch.optim.RMSprop(net.parameters(), lr=5e-3)
critic_losses = []
for update in range(40):
    states = torch.randn(32, 4)
    log_pi, value = net(states)
    actions = torch.multinomial(log_pi.exp().detach(), 1).squeeze(1)
    reward = torch.where(actions == (states[:, 0] > 0).long(), 1.0, 0.0)
    advantage = reward - value
    policy_loss = -(log_pi.gather(1, actions[:, None]).squeeze(1) * advantage.detach()).mean()
    value_loss = advantage.pow(2).mean()
    entropy = -(log_pi.exp() * log_pi).sum(-1).mean()
    opt.zero_grad()
    (policy_loss + 0.5 * value_loss - 0.01 * entropy).backward()
    opt.step()
    critic_losses.append(value_loss.item())
