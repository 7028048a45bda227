# Softmax and its choice of a dimension, which it warns of; the Gumbel softmax.
import torch
from torch import nn
from torch.nn import functional as F

for shape in ((), (2,), (2, 2), (1, 2, 2), (1, 1, 2, 2)):
    x = torch.zeros(shape)
    print(F.softmax(x), F.softmin(x).sum(), F.log_softmax(x).exp().sum())
print(nn.Softmax()(torch.zeros(2)), nn.Softmin(dim=0)(torch.zeros(2)), nn.LogSoftmax(0)(torch.zeros(1)))
print(F.softmax(torch.tensor([1, 2]), 0, dtype=torch.float64))
print(nn.Softmax2d()(torch.zeros(1, 2, 1, 1)))
torch.manual_seed(0)
logits = torch.tensor([[0.5, 1.5, -1.0], [2.0, 0.0, 0.0]], requires_grad=True)
soft = F.gumbel_softmax(logits, tau=0.5)
print(soft.detach().sum(-1), (soft > 0).all(), soft.grad_fn)
hard = F.gumbel_softmax(logits, hard=True, eps=1e-5)
print(hard.detach().round().sum(-1), sorted(hard.detach().round().flatten().tolist()), hard.grad_fn)
hard[0, 0].backward()
print(logits.grad[0].sum().abs() < 1e-6, logits.grad[1])
torch.manual_seed(0)
print(F.gumbel_softmax(torch.arange(12.0).reshape(3, 4).T, hard=True, dim=0))
x = torch.tensor(3.0, requires_grad=True)
(g,) = torch.autograd.grad(F.log_softmax(x, 0), x, create_graph=True)
print(g, torch.autograd.grad(g, x))
print(F.normalize(torch.tensor([[3.0, 4.0], [0.0, 0.0]])), F.normalize(torch.tensor([3.0, 4.0]), p=1, dim=0))
out = torch.empty(1, 2)
print(F.normalize(torch.tensor([[0.0, 2.0]]), out=out) is out, out)
