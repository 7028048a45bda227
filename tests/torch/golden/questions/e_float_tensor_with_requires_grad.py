import numpy as np
import torch

x = torch.FloatTensor([1.0, 1.0])
print(x, x.dtype, x.requires_grad, x.is_leaf)
x.requires_grad = True
(x * 3).sum().backward()
print(x, x.grad, x.is_leaf)

x = torch.tensor(np.array([1.0, 1.0]), dtype=torch.float32, requires_grad=True)
print(x, x.is_leaf)
(x * 3).sum().backward()
print(x.grad)

x = torch.tensor(np.array([1.0, 1.0])).float().requires_grad_()
print(x, x.is_leaf)
(x * 3).sum().backward()
print(x.grad)

same = torch.tensor([1.0, 1.0], requires_grad=True)
print(same.float() is same, same.to(torch.float32) is same, same.double() is same, same.type(torch.float32) is same)
print(same.to(torch.float32, copy=True).is_leaf, same.clone().is_leaf)
