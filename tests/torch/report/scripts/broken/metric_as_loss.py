# expect: loss values-left-through-numpy segment.weight, segment.bias
# check: missing(segment.weight, segment.bias)
import numpy as np
import torch
from torch import nn


def dice(prediction, truth):
    p = (prediction > 0.5).astype(np.float32)
    return 2 * (p * truth).sum() / (p.sum() + truth.sum() + 1e-6)


class DiceLoss(nn.Module):
    def forward(self, prediction, truth):
        score = dice(prediction.data.cpu().numpy(), truth.numpy())  # <- here
        return torch.tensor(1 - score, requires_grad=True)  # <- here


torch.manual_seed(0)
segment = nn.Conv2d(1, 1, 3, padding=1)
opt = torch.optim.Adam(segment.parameters(), lr=1e-2)
images = torch.rand(4, 1, 8, 8)
masks = (images > 0.6).float()
criterion = DiceLoss()
for epoch in range(4):
    loss = criterion(torch.sigmoid(segment(images)), masks)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
