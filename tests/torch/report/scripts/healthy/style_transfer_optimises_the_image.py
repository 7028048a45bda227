# check: losses[-1] < losses[0] and all(p.grad is None for p in vgg.parameters())
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
vgg = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
for parameter in vgg.parameters():
    parameter.requires_grad_(False)


def gram(features):
    flat = features.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.shape[-1]


content, style = torch.rand(1, 3, 8, 8), torch.rand(1, 3, 8, 8)
content_target, style_target = vgg(content).detach(), gram(vgg(style)).detach()
image = torch.rand(1, 3, 8, 8).requires_grad_(True)
optimizer = torch.optim.Adam([image], lr=0.03)
losses = []
for _ in range(12):
    optimizer.zero_grad()
    features = vgg(image)
    loss = F.mse_loss(features, content_target) + 10 * F.mse_loss(gram(features), style_target)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        image.clamp_(0, 1)
    losses.append(loss.item())
