"""A tensor whose .data is replaced by one of inference mode is one of inference mode, with a version of its own."""

import torch

t, p = torch.ones(3), torch.ones(3, requires_grad=True)
y = p * 2
with torch.inference_mode():
    t.data = t.data * 2
    p.data = torch.ones(2, 2)
    y.data = y.data * 2
for x in (t, p, y):
    print(x, x.is_inference(), x.is_leaf, x.requires_grad, x._version)
t.add_(1)
print(t, t._version, (t + 1).is_inference())
p.sum().backward()
print(p.grad, p.grad.is_inference())
try:
    (p * p).sum().backward()
except RuntimeError as error:
    print(error)
with torch.inference_mode():
    u = torch.ones(3)
u.data = torch.ones(2)
print(u.is_inference(), u)
