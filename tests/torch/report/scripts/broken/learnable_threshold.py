# expect: loss comparison-has-no-gradient pruner.threshold
# check: missing(pruner.threshold) and not missing(pruner.project.weight)
import torch
import torch.nn as nn

torch.manual_seed(0)


class Pruner(nn.Module):
    """Keeps the features whose score is above a threshold that shall be learned."""

    def __init__(self, dim):
        super().__init__()
        self.project = nn.Linear(dim, dim)
        self.threshold = nn.Parameter(torch.tensor(0.1))

    def forward(self, x):
        score = torch.sigmoid(self.project(x))
        mask = (score > self.threshold).float()  # <- here
        return score * mask


pruner = Pruner(6)
optimizer = torch.optim.Adam(pruner.parameters(), lr=1e-2)
x = torch.randn(32, 6)
wanted = torch.sigmoid(x) * (x > 0)

for epoch in range(25):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(pruner(x), wanted)
    loss.backward()
    optimizer.step()
print("threshold", pruner.threshold.item(), "loss", loss.item())
