# expect: loss weights-recomputed-through-data layer.g
# check: missing(layer.g) and not missing(layer.v)
import torch
import torch.nn.functional as F
from torch import nn


class Normed(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.v = nn.Parameter(torch.randn(n_out, n_in))
        self.g = nn.Parameter(torch.ones(n_out, 1))

    def forward(self, x):
        scale = self.g.data / self.v.norm(dim=1, keepdim=True)  # <- here
        return F.linear(x, self.v * scale)


torch.manual_seed(0)
layer = Normed(5, 3)
opt = torch.optim.SGD(layer.parameters(), lr=0.1)
x = torch.randn(40, 5)
y = 4 * x[:, :3]
for epoch in range(10):
    opt.zero_grad()
    loss = F.mse_loss(layer(x), y)
    loss.backward()
    opt.step()
print(loss.item())
