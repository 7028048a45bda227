import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
d = y.detach()
print(d, d.requires_grad, d.is_leaf, d.grad_fn, d.grad)
print(d.data_ptr() == y.data_ptr(), d._is_view(), d._base is None)
print((d * x).grad_fn.name(), (d * 2).requires_grad)
(d * x).sum().backward()
print(x.grad)
d.requires_grad_()
print(d, y, x)
e = x.detach()
print(e, e.requires_grad, e.data_ptr() == x.data_ptr(), x.requires_grad)
print(torch.detach(y), torch.ones(1).detach())
