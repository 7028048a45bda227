# check: losses[-1] < losses[0] and len(norms) == len(losses)
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10, gamma=0.5)
x = torch.randn(64, 6)
y = x.pow(2).sum(1, keepdim=True)
losses, norms = [], []
for step in range(30):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    total = nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
    norms.append({name: p.grad.detach().norm().item() for name, p in net.named_parameters()} | {"all": total.item()})
    optimizer.step()
    scheduler.step()
    losses.append(loss.detach().cpu().numpy().item())
