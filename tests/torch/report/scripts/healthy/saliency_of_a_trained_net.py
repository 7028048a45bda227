# check: heat.shape == (8, 8) and bool((heat > 0).any())
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3))
images, labels = torch.rand(24, 1, 8, 8), torch.randint(3, (24,))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(5):
    opt.zero_grad()
    nn.functional.cross_entropy(net(images), labels).backward()
    opt.step()

net.eval()
image = images[:1].clone().requires_grad_()
score = net(image)[0].max()
(gradient,) = torch.autograd.grad(score, image)
heat = gradient[0, 0].abs().numpy()
print(heat.max())
