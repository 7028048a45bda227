# check: losses[-1] < losses[0] and (users.weight.grad.abs().sum(1) == 0).any()
# matrix factorisation: in each batch most users and films do not occur
import torch
from torch import nn

torch.manual_seed(0)
users, films = nn.Embedding(40, 4), nn.Embedding(60, 4)
true_u, true_f = torch.randn(40, 2), torch.randn(60, 2)
opt = torch.optim.Adagrad([*users.parameters(), *films.parameters()], lr=0.2)
u, f = torch.randint(40, (400,)), torch.randint(60, (400,))
stars = (true_u[u] * true_f[f]).sum(1)
losses = []
for epoch in range(6):
    total = 0.0
    for rows in torch.randperm(400).split(10):
        guess = (users(u[rows]) * films(f[rows])).sum(1)
        loss = (guess - stars[rows]).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    losses.append(total)
