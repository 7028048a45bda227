import torch

x = torch.tensor([1.0, 2.0])
z = torch.tensor([1j, 1 + 1j])
print(x + z, x * z, z / 2, torch.cat([x, z]), torch.where(x > 1, x, z))
print(torch.result_type(x, 1j), torch.result_type(z, x.double()), torch.is_complex(z), torch.is_floating_point(z))
y = x.clone().to(torch.complex64)
y[0] = 3j
y[1] += 1
print(y, y.real.dtype, y == torch.tensor([3j, 3]))
try:
    x[0] = 1j
except RuntimeError as e:
    print(e)
try:
    x += z
except RuntimeError as e:
    print(e)
try:
    x.copy_(z)
    print(x)
except RuntimeError as e:
    print(e)
r = torch.tensor([2.0], requires_grad=True)
c = r * z
print(c, c.grad_fn.name(), r.to(torch.complex64).grad_fn.name())
c.real.sum().backward()
print(r.grad)
print(torch.tensor([True, False]) * 1j, torch.tensor([2]) + 1j, z.bool(), torch.tensor(1j) ** 2)
