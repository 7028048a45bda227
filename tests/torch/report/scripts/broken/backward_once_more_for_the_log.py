# expect: doubled backward-called-twice-on-one-loss net.0.weight, net.2.weight
# check: doubled(*net.parameters())
import torch
from torch import nn

torch.manual_seed(0)


def gradient_norm(model, loss):
    """For TensorBoard."""
    loss.backward(retain_graph=True)  # <- here
    return torch.stack([p.grad.norm() for p in model.parameters()]).norm().item()


net = nn.Sequential(nn.Linear(3, 6), nn.SiLU(), nn.Linear(6, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
x = torch.randn(32, 3)
y = x.norm(dim=1, keepdim=True)
log = []
for step in range(10):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(net(x), y)
    log.append((loss.item(), gradient_norm(net, loss)))
    loss.backward()  # <- here
    optimizer.step()
for entry in log:
    print("loss %.4f, gradient %.4f" % entry)
