import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.backward(create_graph=True)
print(x.grad)
x.grad.backward()
print(x.grad)
x = torch.tensor(2.0, requires_grad=True)
y = x**3
y.backward(retain_graph=True)
print(x.grad, x.grad.requires_grad)
try:
    x.grad.backward()
except RuntimeError as e:
    print(type(e).__name__, e)
