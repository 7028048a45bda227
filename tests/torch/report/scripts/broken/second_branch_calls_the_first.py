# expect: loss module-never-used model.right.weight, model.right.bias
# check: missing(model.right.weight, model.right.bias)
import torch
from torch import nn


class TwoTowers(nn.Module):
    def __init__(self, n_users, n_items, size):
        super().__init__()
        self.left = nn.Linear(n_users, size)
        self.right = nn.Linear(n_items, size)  # <- here

    def forward(self, user, item):
        u = torch.tanh(self.left(user))
        v = torch.tanh(self.left(item))  # <- here
        return (u * v).sum(dim=-1)


torch.manual_seed(0)
users, items = torch.rand(60, 6), torch.rand(60, 6)
liked = ((users * items).sum(-1) > 1.5).float()

model = TwoTowers(6, 6, 4)
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
loss_fn = nn.BCEWithLogitsLoss()
for epoch in range(10):
    optimizer.zero_grad()
    loss = loss_fn(model(users, items), liked)
    loss.backward()
    optimizer.step()
print("loss", loss.item())
