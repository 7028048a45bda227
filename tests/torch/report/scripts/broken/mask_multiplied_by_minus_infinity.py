# expect: nonfinite zero-times-infinity query.weight, key.weight
# check: nonfinite(query.weight, key.weight)
import torch
from torch import nn

torch.manual_seed(0)
query, key = nn.Linear(5, 5), nn.Linear(5, 5)
opt = torch.optim.SGD([*query.parameters(), *key.parameters()], lr=0.1)
x = torch.randn(2, 4, 5)
padding = torch.tensor([[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 1.0]])
for step in range(2):
    scores = query(x) @ key(x).transpose(1, 2)
    scores = scores + padding[:, None, :] * float("-inf")  # <- here
    mixed = torch.softmax(scores, dim=-1) @ x
    loss = (mixed - x).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
