import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**2).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__, e)
print(x.grad)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)
y = (x * 3).sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__)
print(x.grad)
y = x.exp().sum()
y.backward()
try:
    y.backward()
except RuntimeError as e:
    print(type(e).__name__)
