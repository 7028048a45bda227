# expect: error saved-value-changed-in-place states, W
# check: raised("modified by an inplace operation")
import torch

torch.manual_seed(0)
W = torch.randn(3, 3, requires_grad=True)
drive = torch.randn(6, 3)
wanted = torch.sin(drive)
opt = torch.optim.Adam([W], lr=1e-2)
for epoch in range(2):
    states = torch.zeros(7, 3)
    for t in range(6):
        states[t + 1] = torch.tanh(states[t] @ W + drive[t])  # <- here
    loss = (states[1:] - wanted).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
