import torch
from torch.utils.checkpoint import checkpoint

w = torch.tensor([3.0, 4.0], requires_grad=True)
x = torch.tensor([1.0, 2.0])
y = checkpoint(lambda x: x * w, x, use_reentrant=True)
print(y)
try:
    y.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
y = checkpoint(lambda x: x * w, x, use_reentrant=False)
print(y)
y.sum().backward()
print(w.grad)
