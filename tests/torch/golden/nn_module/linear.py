"""Linear and bilinear maps: the graphs that they record, and errors."""

import torch
import torch.nn.functional as F
from torch import nn


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def graph(n):
    return n and (n.name(), [graph(m) for m, _ in n.next_functions])


for bias in (False, True):
    layer = nn.Linear(3, 4, bias=bias)
    for shape in ((3,), (2, 3), (5, 2, 3), (0, 3)):
        for requires_grad in (False, True):
            y = layer(torch.ones(shape, requires_grad=requires_grad))
            print(shape, tuple(y.shape), y.stride(), y._base is None, graph(y.grad_fn))
print(graph(nn.Linear(3, 4)(torch.ones(5, 2, 3).transpose(0, 1)).grad_fn))
w = torch.ones(3, requires_grad=True)
print(graph(F.linear(torch.ones(2, 3), w).grad_fn), graph(F.linear(torch.ones(3), w, torch.ones(())).grad_fn))

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
w = torch.tensor([[1.0, -1.0], [2.0, 0.0], [0.5, 3.0]], requires_grad=True)
b = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = F.linear(x, w, b)
print(y, y.grad_fn._saved_mat2, y.grad_fn._saved_beta)
(y * y).sum().backward()
print(x.grad, w.grad, w.grad.stride(), b.grad)
g = torch.autograd.grad((F.linear(x, w, b) ** 3).sum(), w, create_graph=True)[0]
print(torch.autograd.grad(g.sum(), (x, w, b)))
y = F.linear(x, w, b)
with torch.no_grad():
    w.mul_(2)
show(lambda: y.sum().backward())
one = torch.ones
for f in (
    lambda: F.linear(one(2, 3), one(4, 2)),
    lambda: F.linear(one(2, 3), one(4, 2), one(4)),
    lambda: F.linear(one(2, 3), one(4, 3), one(5)),
    lambda: F.linear(one(2, 2, 3), one(4, 3), one(5)),
    lambda: F.linear(one(3), one(4, 2), one(4)),
    lambda: F.linear(one(2, 3), one(4, 3).double(), one(4)),
    lambda: F.linear(one(2, 3), one(4, 3), one(4).double()),
    lambda: F.linear(one(2, 3), one(1, 4, 3)),
    lambda: F.linear(one(()), one(4, 3)),
    lambda: F.linear(one(2, 3)),
    lambda: F.linear(one(2, 3), 3),
    lambda: F.linear(one(2, 3), one(4, 3), one(2, 4)),
    lambda: F.linear(one(2, 3), one(4, 3), one(())),
    lambda: F.linear(one(2, 3).int(), one(4, 3).int(), one(4).int()),
    lambda: F.linear(one(2, 3).bool(), one(4, 3).bool()),
    lambda: F.linear(one(2, 3).bfloat16(), one(4, 3).bfloat16(), one(4).bfloat16()),
    lambda: F.bilinear(one(2, 3), one(3, 4), one(5, 3, 4)),
    lambda: F.bilinear(one(2, 3), one(2, 2, 4), one(5, 3, 4)),
    lambda: F.bilinear(one(2, 3), one(2, 4), one(5, 2, 4)),
    lambda: F.bilinear(one(2, 3), one(2, 4), one(5, 3, 3)),
    lambda: F.bilinear(one(2, 3), one(2, 4), one(5, 3, 4), one(3)),
    lambda: F.bilinear(one(3), one(4), one(5, 3, 4), one(5)),
    lambda: F.bilinear(one(2, 3), one(2, 4), one(5, 3)),
    lambda: nn.Bilinear(0, 1, 1),
    lambda: nn.Linear(2.5, 1),
):
    show(f)
m = nn.Bilinear(2, 3, 4)
print(
    m,
    graph(m(torch.ones(5, 2), torch.ones(5, 3)).grad_fn),
    graph(nn.Bilinear(2, 3, 4, bias=False)(one(2), one(3)).grad_fn),
)
a, c = x.detach().requires_grad_(), torch.tensor([[1.0, 0.0], [2.0, 1.0]], requires_grad=True)
k = torch.arange(8.0).reshape(2, 2, 2).requires_grad_()
y = F.bilinear(a, c, k, torch.tensor([1.0, -1.0]))
(y**2).sum().backward()
print(y, a.grad, c.grad, k.grad)
print(nn.Identity(1, a=2)(5), nn.modules.linear.NonDynamicallyQuantizableLinear(1, 1))
print(nn.Linear(0, 2), nn.Linear(0, 2).bias)
