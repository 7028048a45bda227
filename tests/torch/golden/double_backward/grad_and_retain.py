import torch

x = torch.tensor(1.0, requires_grad=True)
y = x * 3
z = y**3
(gy,) = torch.autograd.grad(z, y, create_graph=True)
print(gy)
print(torch.autograd.grad(gy, y, retain_graph=True), torch.autograd.grad(gy, x, retain_graph=True))
gy.backward()
print(x.grad)
try:
    z.backward()
except RuntimeError as e:
    print(e)
print(x.grad)
