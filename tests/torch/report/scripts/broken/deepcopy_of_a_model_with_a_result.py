# expect: error copy-of-a-result model.attention
# check: raised("Only Tensors created explicitly by the user")
import copy

import torch
import torch.nn as nn


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)
        self.attention = None

    def forward(self, x):
        self.attention = self.score(x).softmax(dim=1)  # <- here
        return (self.attention * x).sum(dim=1)


torch.manual_seed(0)
model = Pooling()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
x, y = torch.randn(20, 5, 4), torch.randn(20, 4)
best, best_model = float("inf"), None
for epoch in range(5):
    loss = (model(x) - y).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, best_model = loss.item(), copy.deepcopy(model)  # <- here
print(best)
