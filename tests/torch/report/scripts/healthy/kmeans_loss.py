# check: losses[-1] < losses[0]
import torch

torch.manual_seed(0)
x = torch.cat([torch.randn(30, 2) + torch.tensor(c) for c in ([0.0, 0.0], [4.0, 4.0], [0.0, 5.0])])
centres = torch.randn(3, 2, requires_grad=True)
opt = torch.optim.SGD([centres], lr=0.3)
losses = []
for _ in range(20):
    nearest = torch.cdist(x, centres).argmin(1)
    loss = (x - centres[nearest]).pow(2).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
