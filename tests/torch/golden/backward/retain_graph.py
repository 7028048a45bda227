import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward(retain_graph=True)
print(x.grad)
y.backward(retain_graph=True)
print(x.grad)
y.backward()
print(x.grad)
try:
    y.backward(retain_graph=True)
except RuntimeError as e:
    print(e)
shared = x * x
a, b = shared.sum(), (shared * 2).sum()
x.grad = None
a.backward()
try:
    b.backward()
except RuntimeError as e:
    print(e)
print(x.grad)
