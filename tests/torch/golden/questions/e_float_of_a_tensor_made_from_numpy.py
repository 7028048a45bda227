import numpy as np
import torch

x = torch.tensor(np.array([1.0, 1.0]), requires_grad=True).float()
print(x, x.is_leaf, x.requires_grad, x.grad_fn.name())
x.sum().backward()
print(x.grad)

x = torch.tensor(np.array([1.0, 1.0]), requires_grad=True).float()
x.retain_grad()
(x * 3).sum().backward()
print(x.grad, x.is_leaf, x.retains_grad)

x = torch.tensor(np.array([1.0, 1.0], dtype=np.float32), requires_grad=True).float()
print(x, x.is_leaf, x.grad_fn)
(x * 3).sum().backward()
print(x.grad)

x = torch.tensor([1.0, 1.0], requires_grad=True).float()
print(x, x.is_leaf, x.grad_fn)
(x * 3).sum().backward()
print(x.grad)

original = torch.tensor(np.array([1.0, 1.0]), requires_grad=True)
x = original.float()
x.sum().backward()
print(original.dtype, original.grad, original.is_leaf)
