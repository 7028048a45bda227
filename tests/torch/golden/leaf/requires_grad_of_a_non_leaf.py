import torch

x = torch.tensor([1.0], requires_grad=True)
y = x * 2
try:
    y.requires_grad = True
except RuntimeError as e:
    print(type(e).__name__, e)
print(y.requires_grad_() is y, y.requires_grad)
try:
    y.requires_grad = False
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    y.requires_grad_(False)
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    y.requires_grad = 3
except RuntimeError as e:
    print(type(e).__name__, e)
x.requires_grad = False
print(x, x.requires_grad, y.requires_grad)
z = x * 2
print(z)
y.backward()
print(x.grad)
