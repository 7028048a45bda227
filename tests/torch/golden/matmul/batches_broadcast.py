import torch

a = torch.arange(12.0).view(2, 1, 2, 3)
b = torch.arange(18.0).view(3, 3, 2)
y = a @ b
print(y.shape, y.stride(), y.sum())
ra, rb = a.clone().requires_grad_(), b.clone().requires_grad_()
z = ra @ rb
print(z.grad_fn.name(), z.shape, z.requires_grad)
z.sum().backward()
print(ra.grad, rb.grad.shape, rb.grad[0])
w = torch.tensor([[1.0, 0.0, 2.0]], requires_grad=True)
h = torch.ones(4, 2, 3) @ w.T
print(h.shape, h.grad_fn.name())
h.sum().backward()
print(w.grad)
try:
    torch.ones(2, 2, 3) @ torch.ones(3, 3, 1)
except RuntimeError as e:
    print(e)
