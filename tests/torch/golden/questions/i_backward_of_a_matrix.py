import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * x
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, e)
y.backward(torch.ones(2, 2), retain_graph=True)
print(x.grad)
x.grad = None
y.backward(gradient=torch.tensor([[1.0, 0.0], [0.0, 0.5]]), retain_graph=True)
print(x.grad)
x.grad = None
y.backward(torch.ones_like(y), retain_graph=True)
print(x.grad)
try:
    y.backward(torch.ones(2))
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    y.backward(1.0)
except (RuntimeError, TypeError) as e:
    print(type(e).__name__, e)
x.grad.zero_()
y.mean().backward()
print(x.grad)
