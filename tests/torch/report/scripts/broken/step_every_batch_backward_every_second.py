# expect: stale step-without-a-new-backward model.weight, model.bias
# check: reused(model.weight, model.bias)
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
HARD = 0.5

x = torch.randn(200, 5)
y = x @ torch.tensor([[1.0], [0.0], [-1.0], [2.0], [0.5]])

for epoch in range(5):
    for xb, yb in zip(x.split(20), y.split(20)):
        loss = nn.functional.mse_loss(model(xb), yb)
        # learn from the hard batches only
        if loss.item() > HARD:
            optimizer.zero_grad()
            loss.backward()
        optimizer.step()  # <- here
    print(epoch, loss.item())
