import torch
from torch.autograd.graph import allow_mutation_on_saved_tensors

x = torch.tensor([1.0, 2.0], requires_grad=True)
with allow_mutation_on_saved_tensors():
    y = x * 1
    z = y * y
    y.add_(10)
    print(y, z)
    z.sum().backward()
    print(x.grad)
y = x * 1
z = y * y
y.add_(10)
try:
    z.sum().backward()
except RuntimeError as e:
    print(type(e).__name__)
