# check: abs(q_loss.item()) < 50
import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
q1 = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
q2 = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
q1_t, q2_t = copy.deepcopy(q1), copy.deepcopy(q2)
for p in list(q1_t.parameters()) + list(q2_t.parameters()):
    p.requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
a_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
q_opt = torch.optim.Adam(list(q1.parameters()) + list(q2.parameters()), lr=1e-3)
al_opt = torch.optim.Adam([log_alpha], lr=1e-3)


def pi(s):
    mu, ls = actor(s).chunk(2, dim=-1)
    ls = ls.clamp(-5, 2)
    d = torch.distributions.Normal(mu, ls.exp())
    u = d.rsample()
    a = torch.tanh(u)
    logp = d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)
    return a, logp.sum(-1, keepdim=True)


for it in range(8):
    s, a = torch.randn(16, 3), torch.rand(16, 1) * 2 - 1
    r, s2 = -(a - s[:, :1]).pow(2), torch.randn(16, 3)
    alpha = log_alpha.exp().detach()
    with torch.no_grad():
        a2, lp2 = pi(s2)
        sa2 = torch.cat([s2, a2], 1)
        y = r + 0.9 * (torch.min(q1_t(sa2), q2_t(sa2)) - alpha * lp2)
    sa = torch.cat([s, a], 1)
    q_loss = F.mse_loss(q1(sa), y) + F.mse_loss(q2(sa), y)
    q_opt.zero_grad()
    q_loss.backward()
    q_opt.step()

    for p in [*q1.parameters(), *q2.parameters()]:
        p.requires_grad = False
    an, lp = pi(s)
    sn = torch.cat([s, an], 1)
    a_loss = (alpha * lp - torch.min(q1(sn), q2(sn))).mean()
    a_opt.zero_grad()
    a_loss.backward()
    a_opt.step()
    for p in [*q1.parameters(), *q2.parameters()]:
        p.requires_grad = True

    al_loss = -(log_alpha * (lp.detach() - 1.0)).mean()
    al_opt.zero_grad()
    al_loss.backward()
    al_opt.step()
    with torch.no_grad():
        for n, t in ((q1, q1_t), (q2, q2_t)):
            for p, pt in zip(n.parameters(), t.parameters()):
                pt.mul_(0.995).add_(0.005 * p)
print(q_loss.item(), a_loss.item(), log_alpha.item())
