# expect: stale forward-outside-the-loop backbone.weight, backbone.bias
# check: not torch.allclose(features, backbone(images)) and not missing(backbone.weight)
"""Fine-tuning; the features are computed before the loop "to save time"."""

import torch
from torch import nn, optim

torch.manual_seed(0)
backbone = nn.Linear(16, 8)
head = nn.Linear(8, 3)
images = torch.randn(40, 16)
labels = torch.randint(0, 3, (40,))

features = backbone(images)  # <- here

optimizer = optim.SGD([*backbone.parameters(), *head.parameters()], lr=0.1)
loss_fn = nn.CrossEntropyLoss()
for epoch in range(15):
    loss = loss_fn(head(features), labels)
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # <- here
    optimizer.step()
print("train", loss.item(), "really", loss_fn(head(backbone(images)), labels).item())
