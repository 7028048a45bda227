# check: after <= before
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
x, y = torch.rand(20, 6), torch.randint(3, (20,))


def attack(model, x, y, eps=0.2, alpha=0.05, steps=6):
    adv = x.clone().detach() + torch.empty_like(x).uniform_(-eps, eps)
    for _ in range(steps):
        adv.requires_grad_()
        loss = F.cross_entropy(model(adv), y)
        grad = torch.autograd.grad(loss, [adv])[0]
        adv = adv.detach() + alpha * grad.sign()
        adv = torch.min(torch.max(adv, x - eps), x + eps).clamp(0, 1)
    return adv.detach()


opt = torch.optim.Adam(net.parameters(), lr=2e-2)
for _ in range(15):
    adv = attack(net, x, y)
    opt.zero_grad()
    F.cross_entropy(net(adv), y).backward()
    opt.step()
with torch.no_grad():
    before = (net(x).argmax(1) == y).float().mean().item()
adv = attack(net, x, y)
with torch.no_grad():
    after = (net(adv).argmax(1) == y).float().mean().item()
