# expect: error|loss all-parameters-frozen model.2.weight, model.2.bias, loss
# check: raised("element 0 of tensors does not require grad") and not any(p.requires_grad for p in model.parameters())
import torch
from torch import nn


def pretrained():
    torch.manual_seed(7)
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 100))


def build(num_classes):
    model = pretrained()
    model[2] = nn.Linear(8, num_classes)
    # keep the features, train the new head only
    for parameter in model.parameters():
        parameter.requires_grad = False  # <- here
    return model


model = build(num_classes=4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(20, 8), torch.randint(0, 4, (20,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    print(epoch, loss.item())
