# Conversions inside of vmap, between the dtype of a tensor and that of a sum.
import torch

x = torch.tensor([[1.0, -3.0], [-2.5, 4.0]])
below = x < -2
print(torch.vmap(lambda a, b: a - b.sum())(x, below))
print(torch.vmap(lambda a, b: a - b.sum(dtype=torch.float64))(x, below))
print(torch.vmap(lambda b: b.sum(0))(below), torch.vmap(lambda b: b.prod())(below))
print(torch.vmap(lambda b: b.cumsum(0))(below), torch.func.grad(lambda a: (a * (a < 0).sum()).sum())(x))
