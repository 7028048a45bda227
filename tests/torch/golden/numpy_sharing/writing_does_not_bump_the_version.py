import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp()
y.detach().numpy()[:] = 0
print(y, y._version)
y.sum().backward()
print(x.grad)
w = torch.tensor([3.0, 4.0], requires_grad=True)
z = w * w
w.detach().numpy()[0] = 100
print(w, w._version)
z.sum().backward()
print(w.grad)
u = torch.tensor([3.0, 4.0], requires_grad=True)
z = u * u
u.detach()[0] = 100
try:
    z.sum().backward()
except RuntimeError as e:
    print(e)
