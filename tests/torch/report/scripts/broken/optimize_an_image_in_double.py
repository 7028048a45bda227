# expect: error|loss conversion-made-a-non-leaf canvas
# check: raised("can't optimize a non-leaf Tensor")
"""Paint a picture whose blurred version is the target."""

import torch
import torch.nn.functional as F


def blur(image):
    kernel = torch.ones(1, 1, 3, 3, dtype=image.dtype) / 9
    return F.conv2d(image[None, None], kernel, padding=1)[0, 0]


def paint(target, steps=20):
    torch.manual_seed(0)
    canvas = torch.rand(target.shape, requires_grad=True).to(torch.float64)  # <- here
    optimizer = torch.optim.Adam([canvas], lr=0.05)
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(blur(canvas), target)
        loss.backward()
        optimizer.step()
    return canvas, loss.item()


target = torch.zeros(8, 8, dtype=torch.float64)
target[2:6, 2:6] = 1
picture, final = paint(target)
print(final)
