# check: accuracies[-1] > 0.8
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
x = torch.randn(120, 4)
y = (x[:, 0] + x[:, 1] > 0).long()
train = DataLoader(TensorDataset(x[:80], y[:80]), batch_size=20, shuffle=True)
test = DataLoader(TensorDataset(x[80:], y[80:]), batch_size=20)
model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=0.02)


def evaluate():
    model.eval()
    right = 0
    with torch.no_grad():
        for xb, yb in test:
            right += (model(xb).argmax(1) == yb).sum().item()
    return right / len(test.dataset)


accuracies = []
for epoch in range(8):
    model.train()
    for xb, yb in train:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(xb), yb)
        loss.backward()
        opt.step()
    accuracies.append(evaluate())
