"""A network of three layers reads handwritten digits; Adam, batches drawn by a DataLoader."""

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
with np.load(Path(__file__).parents[3] / "examples" / "data" / "digits.npz") as data:
    images = torch.from_numpy(data["images"].reshape(-1, 64) / 16).float()
    labels = torch.from_numpy(data["labels"].astype(np.int64))
loader = DataLoader(TensorDataset(images, labels), batch_size=36, shuffle=True)
model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()
for x, y in loader:
    optimizer.zero_grad()
    scores = model(x)
    loss = criterion(scores, y)
    loss.backward()
    optimizer.step()
    print(loss.item(), (scores.argmax(1) == y).float().mean().item())
