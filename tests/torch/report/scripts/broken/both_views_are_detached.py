# expect: error|loss detached-on-both-sides tower.weight, loss
# check: raised("element 0 of tensors does not require grad")
import torch
import torch.nn.functional as F

torch.manual_seed(0)
tower = torch.nn.Linear(6, 4)
opt = torch.optim.SGD(tower.parameters(), lr=0.1)
x = torch.randn(20, 6)


@torch.no_grad()
def embed(view):
    return F.normalize(tower(view), dim=1)  # <- here


for step in range(3):
    a = embed(x + 0.1 * torch.randn_like(x))  # <- here
    b = embed(x + 0.1 * torch.randn_like(x))  # <- here
    loss = -(a * b).sum(1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
