# expect: zero round-has-zero-gradient net.0.weight, net.0.bias, net.2.weight, net.2.bias
# check: zero(*net.parameters())
"""Predict the number of bicycles, an integer."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
weather = torch.rand(120, 5)
bicycles = (20 * weather[:, :1] + 10 * weather[:, 1:2]).round()
loader = DataLoader(TensorDataset(weather, bicycles), batch_size=40, shuffle=True)

net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.L1Loss()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

for epoch in range(5):
    for features, count in loader:
        optimizer.zero_grad()
        guess = torch.round(net(features))  # <- here
        loss = criterion(guess, count)
        loss.backward()
        optimizer.step()
    print(f"Epoch {epoch + 1}: off by {loss.item():.1f}")
