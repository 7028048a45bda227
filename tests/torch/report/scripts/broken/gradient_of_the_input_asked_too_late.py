# expect: error|loss requires-grad-set-after-the-forward image
# check: missing(image) and raised("NoneType")
"""Saliency of a small image classifier."""

import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5))
net.eval()


def saliency(image, label):
    scores = net(image.unsqueeze(0))
    image.requires_grad_()  # <- here
    scores[0, label].backward()
    return image.grad.abs().amax(dim=0)


image = torch.rand(3, 12, 12)
heat = saliency(image, label=2)
print(heat.shape, heat.max())
