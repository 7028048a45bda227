# check: losses[-1] < losses[0]
import torch

torch.manual_seed(0)
W = (0.1 * torch.randn(3, 3)).requires_grad_()
drive = torch.randn(6, 3)
wanted = 0.5 * torch.sin(drive)
opt = torch.optim.Adam([W], lr=2e-2)
losses = []
for _ in range(25):
    states = [torch.zeros(3)]
    for t in range(6):
        states.append(torch.tanh(states[-1] @ W + 0.3 * drive[t]))
    path = torch.stack(states[1:])
    loss = (path - wanted).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
