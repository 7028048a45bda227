# expect: nonfinite arc-cosine-at-one rotation
# check: nonfinite(rotation)
import torch

torch.manual_seed(0)
directions = torch.nn.functional.one_hot(torch.arange(8) % 3, 3).float()

rotation = torch.nn.Parameter(torch.eye(3))
optimizer = torch.optim.SGD([rotation], lr=0.1)


def mean_angle(a, b):
    cosine = (a * b).sum(-1)
    return torch.acos(cosine).mean()  # <- here


for i in range(3):
    turned = directions @ rotation
    loss = mean_angle(turned, directions)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(i, loss.item())
