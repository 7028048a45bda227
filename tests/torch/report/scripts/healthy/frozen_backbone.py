# check: losses[-1] < losses[0] and all(p.grad is None for p in backbone.parameters())
import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
backbone.requires_grad_(False)
backbone.eval()
head = nn.Linear(24, 3)
model = nn.Sequential(backbone, head)

optimizer = torch.optim.Adam((p for p in model.parameters() if p.requires_grad), lr=0.03)
images, labels = torch.rand(30, 1, 8, 8), torch.randint(3, (30,))
losses = []
for epoch in range(20):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses[0], "->", losses[-1])
