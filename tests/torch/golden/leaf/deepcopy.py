import copy

import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).sum().backward()
y = copy.deepcopy(x)
print(y, y.is_leaf, y.grad, y is x)
y.data.zero_()
print(x, y)
print(y.grad is x.grad, y.grad.data_ptr() == x.grad.data_ptr())
z = x * 2
try:
    copy.deepcopy(z)
except RuntimeError as e:
    print(type(e).__name__, e)
print(copy.deepcopy(z.detach()))
shallow = copy.copy(x)
print(shallow, shallow.is_leaf, shallow.data_ptr() == x.data_ptr())
