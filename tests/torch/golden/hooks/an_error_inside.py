import torch

x = torch.tensor(2.0, requires_grad=True)
y = x * 3


def hook(g):
    raise ValueError(f"not {g.item()}")


handle = y.register_hook(hook)
try:
    (y * y).backward()
except ValueError as e:
    print(type(e).__name__, e)
print(x.grad)
handle.remove()
(y * y).backward()
print(x.grad)
x.register_hook(lambda: None)
try:
    (x * 2).backward()
except TypeError as e:
    print(type(e).__name__)
