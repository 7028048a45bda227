"""Small images are enlarged by PixelShuffle, as in PyTorch's super_resolution example."""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn import init

torch.manual_seed(123)
rows, columns = torch.meshgrid(torch.linspace(0, 1, 16), torch.linspace(0, 1, 16), indexing="ij")
waves = torch.rand(24, 3, 1, 1) * 6
images = (0.5 + 0.5 * torch.sin(waves[:, 0] * rows + waves[:, 1] * columns + waves[:, 2]))[:, None]
small = F.interpolate(images, scale_factor=0.5, mode="bicubic", align_corners=False, antialias=True)


class Net(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.relu = nn.ReLU()
        self.conv1 = nn.Conv2d(1, 12, (5, 5), (1, 1), (2, 2))
        self.conv2 = nn.Conv2d(12, 8, (3, 3), (1, 1), (1, 1))
        self.conv3 = nn.Conv2d(8, factor**2, (3, 3), (1, 1), (1, 1))
        self.pixel_shuffle = nn.PixelShuffle(factor)
        init.orthogonal_(self.conv1.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv2.weight, init.calculate_gain("relu"))
        init.orthogonal_(self.conv3.weight)

    def forward(self, x):
        x = self.relu(self.conv1(x))
        x = self.relu(self.conv2(x))
        return self.pixel_shuffle(self.conv3(x))


model = Net(2)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.MSELoss()
for step in range(40):
    batch = slice(step % 3 * 8, step % 3 * 8 + 8)
    optimizer.zero_grad()
    loss = criterion(model(small[batch]), images[batch])
    loss.backward()
    optimizer.step()
    print(loss.item(), 10 * math.log10(1 / loss.item()))
