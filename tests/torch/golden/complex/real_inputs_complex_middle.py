import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = x * (1 + 2j)
print(z, z.dtype)
(z * z.conj()).real.sum().backward()
print(x.grad, x.grad.dtype)
x.grad = None
y = torch.tensor([0.5, -1.0], requires_grad=True)
c = torch.complex(x, y)
print(c, c.grad_fn.name())
c.abs().pow(2).sum().backward()
print(x.grad, y.grad)
x.grad = y.grad = None
torch.exp(1j * x).real.sum().backward()
print(x.grad.round(decimals=4))
p = torch.polar(x, y)
print(p.grad_fn.name(), torch.view_as_complex(torch.stack([x, y], -1)).grad_fn.name())
s = torch.tensor(2.0, requires_grad=True)
(s * torch.tensor([1j, 1.0])).imag.sum().backward()
print(s.grad)
