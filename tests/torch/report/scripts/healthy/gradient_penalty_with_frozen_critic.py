# check: abs(loss_c.item()) < 100
import torch
from torch import autograd, nn

torch.manual_seed(1)
G = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
C = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
opt_G = torch.optim.RMSprop(G.parameters(), lr=1e-3)
opt_C = torch.optim.RMSprop(C.parameters(), lr=1e-3)


def gradient_penalty(critic, real, fake):
    eps = torch.rand(real.size(0), 1)
    mixed = (eps * real + (1 - eps) * fake).requires_grad_(True)
    score = critic(mixed)
    grads = autograd.grad(
        outputs=score,
        inputs=mixed,
        grad_outputs=torch.ones_like(score),
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


for it in range(6):
    for p in C.parameters():
        p.requires_grad = True
    for _ in range(3):
        real = torch.randn(16, 2) + 2
        with torch.no_grad():
            fake = G(torch.randn(16, 2))
        opt_C.zero_grad()
        loss_c = C(fake).mean() - C(real).mean() + 10 * gradient_penalty(C, real, fake)
        loss_c.backward()
        opt_C.step()
    for p in C.parameters():
        p.requires_grad = False
    opt_G.zero_grad()
    loss_g = -C(G(torch.randn(16, 2))).mean()
    loss_g.backward()
    opt_G.step()
print(loss_c.item(), loss_g.item())
