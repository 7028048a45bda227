# check: losses[-1] < losses[0] and len(seen) > 0
import torch
from torch import nn

torch.manual_seed(0)
body, head = nn.Linear(5, 8), nn.Linear(8, 2)
seen = []
body.weight.register_hook(lambda grad: grad * 0.1)
head.register_full_backward_hook(lambda module, gin, gout: seen.append(gout[0].norm().item()))
optimizer = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.2)
x = torch.randn(60, 5)
y = (x[:, 0] > 0).long()
losses = []
for _ in range(20):
    hidden = body(x).relu()
    hidden.register_hook(lambda g: g.clamp(-0.1, 0.1))
    loss = nn.functional.cross_entropy(head(hidden), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(float(loss))
