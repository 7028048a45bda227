import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    y = x * 2
    z = torch.ones(2, requires_grad=True)
    w = torch.ones(2).requires_grad_()
    v = x.view(1, 2)
for t in (y, z, w, v, x.detach(), x.data):
    print(t, t.is_leaf, t.requires_grad, t.grad_fn)
(z * w * x).sum().backward()
print(z.grad, w.grad, x.grad)
