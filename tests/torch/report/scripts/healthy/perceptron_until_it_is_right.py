# check: losses[-1] == 0 and losses[0] > 0
# the hinge is zero when all points are on their side, and so is its gradient
import torch

torch.manual_seed(0)
x = torch.randn(60, 2)
side = torch.where(x[:, 0] + 0.5 * x[:, 1] > 0, 1.0, -1.0)
x = x + 0.5 * side[:, None] * torch.tensor([1.0, 0.5])
w = torch.zeros(2, requires_grad=True)
b = torch.zeros((), requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.5)
losses = []
for _ in range(100):
    loss = torch.relu(0.1 - side * (x @ w + b)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    losses.append(loss.item())
