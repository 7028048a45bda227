# expect: loss no_grad actor.0.weight, actor.2.weight
# check: missing(actor[0].weight)
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-3)


@torch.no_grad()  # <- here
def evaluate(s, a):
    d = Normal(actor(s), 0.5)  # <- here
    return d.log_prob(a).squeeze(-1)


for it in range(3):
    s = torch.randn(32, 3)
    a = Normal(actor(s), 0.5).sample()
    logp_old = evaluate(s, a)
    ret = -((a.squeeze(-1) - s.sum(1)) ** 2)
    adv = (ret - critic(s).squeeze(-1)).detach()
    for epoch in range(3):
        ratio = (evaluate(s, a) - logp_old).exp()
        pg = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        vf = (critic(s).squeeze(-1) - ret).pow(2).mean()
        loss = pg + 0.5 * vf
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(it, vf.item())
