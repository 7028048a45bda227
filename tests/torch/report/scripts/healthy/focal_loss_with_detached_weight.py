# check: losses[-1] < losses[0]
import torch
import torch.nn.functional as F


def focal(logits, target, gamma=2.0):
    ce = F.cross_entropy(logits, target, reduction="none")
    weight = (1 - torch.exp(-ce.detach())) ** gamma
    return (weight * ce).mean()


torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
x = torch.randn(90, 4)
y = x[:, :3].argmax(1)
losses = []
for _ in range(30):
    loss = focal(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
