# check: totals[-1] < totals[0]
# two tasks balanced by the size of their losses; sum of losses over the epoch for the log
import torch
from torch import nn

torch.manual_seed(0)
trunk, a_head, b_head = nn.Linear(6, 10), nn.Linear(10, 1), nn.Linear(10, 4)
model = nn.ModuleList([trunk, a_head, b_head])
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(64, 6)
a, b = 100 * x[:, :1], torch.randint(4, (64,))
totals = []
for epoch in range(10):
    epoch_loss = torch.zeros(())
    for rows in torch.randperm(64).split(16):
        h = torch.relu(trunk(x[rows]))
        loss_a = nn.functional.l1_loss(a_head(h), a[rows])
        loss_b = nn.functional.cross_entropy(b_head(h), b[rows])
        loss = loss_a / loss_a.detach() + loss_b / loss_b.detach()
        opt.zero_grad()
        loss.backward()
        opt.step()
        epoch_loss += (loss_a + loss_b).detach()
    totals.append(epoch_loss.item())
