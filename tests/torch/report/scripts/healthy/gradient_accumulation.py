# check: losses[-1] < losses[0]
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(96, 6)
y = x[:, :1] - 2 * x[:, 1:2]
loader = DataLoader(TensorDataset(x, y), batch_size=8, shuffle=True)
model = torch.nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
ACCUMULATE = 4

losses = []
for epoch in range(4):
    optimizer.zero_grad()
    running = 0.0
    for i, (xb, yb) in enumerate(loader):
        loss = torch.nn.functional.mse_loss(model(xb), yb)
        (loss / ACCUMULATE).backward()
        running += loss.item()
        if (i + 1) % ACCUMULATE == 0:
            optimizer.step()
            optimizer.zero_grad()
    losses.append(running / len(loader))
