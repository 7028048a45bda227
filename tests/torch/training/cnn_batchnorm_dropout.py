"""A convolutional network with BatchNorm and Dropout reads digits; SGD with momentum, a schedule, evaluation."""

from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(3)
with np.load(Path(__file__).parents[3] / "examples" / "data" / "digits.npz") as data:
    images = torch.from_numpy(data["images"][:, None] / 16).float()
    labels = torch.from_numpy(data["labels"].astype(np.int64))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(1, 8, 3, padding=1), nn.BatchNorm2d(8)
        self.conv2, self.norm2 = nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16)
        self.drop = nn.Dropout(0.25)
        self.fc = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.norm2(self.conv2(x))), 2)
        return F.log_softmax(self.fc(self.drop(torch.flatten(x, 1))), dim=1)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=15, gamma=0.5)
for step in range(50):
    chosen = torch.randint(1500, (32,))
    optimizer.zero_grad()
    loss = F.nll_loss(model(images[chosen]), labels[chosen])
    loss.backward()
    optimizer.step()
    scheduler.step()
    print(loss.item(), scheduler.get_last_lr()[0])
model.eval()
with torch.no_grad():
    scores = model(images[1500:])
    print(F.nll_loss(scores, labels[1500:]).item(), (scores.argmax(1) == labels[1500:]).sum().item())
