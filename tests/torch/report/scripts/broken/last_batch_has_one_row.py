# expect: nonfinite standard-deviation-of-one-value model.0.weight, model.2.weight
# check: nonfinite(*model.parameters())
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
dataset = TensorDataset(torch.randn(33, 4), torch.randn(33, 1))
loader = DataLoader(dataset, batch_size=8)
model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def standardized(column):
    return (column - column.mean(0)) / (column.std(0) + 1e-8)  # <- here


for epoch in range(2):
    for inputs, targets in loader:
        outputs = standardized(model(inputs))
        loss = nn.functional.mse_loss(outputs, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, loss.item())
