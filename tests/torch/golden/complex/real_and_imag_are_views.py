import torch

z = torch.zeros(3, dtype=torch.complex64)
z.real = torch.tensor([1.0, 2.0, 3.0])
z.imag.fill_(-1)
print(z, z.real.stride(), z.imag.storage_offset(), z.real._is_view(), z._version)
v = torch.view_as_real(z)
v[0, 1] = 100
print(z, v.shape, v.stride())
x = torch.ones(2, requires_grad=True)
w = torch.zeros(2, dtype=torch.complex64)
w.real = x * 3
print(w, w.real.grad_fn.name())
w.real.sum().backward()
print(x.grad)
try:
    torch.ones(2).imag = torch.ones(2)
except RuntimeError as e:
    print(e)
