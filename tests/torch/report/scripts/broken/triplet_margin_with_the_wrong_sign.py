# expect: zero hinge-is-never-active embed.weight, embed.bias
# check: zero(embed.weight, embed.bias)
import torch
import torch.nn.functional as F

torch.manual_seed(0)
embed = torch.nn.Linear(20, 8)
optimizer = torch.optim.SGD(embed.parameters(), lr=0.1)
MARGIN = 10.0


def triplet(anchor, positive, negative):
    near = (anchor - positive).norm(dim=1)
    far = (anchor - negative).norm(dim=1)
    return F.relu(near - far - MARGIN).mean()  # <- here


people = torch.randn(10, 20)
for step in range(10):
    who = torch.randperm(10)
    a = people + 0.3 * torch.randn(10, 20)
    p = people + 0.3 * torch.randn(10, 20)
    loss = triplet(embed(a), embed(p), embed(people[who]))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
