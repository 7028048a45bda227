import numpy as np
import torch

a = np.array([1.0, 2.0])
t = torch.from_numpy(a).requires_grad_()
print(t, t.is_leaf)
(t * t).sum().backward()
print(t.grad, t.grad.numpy(), type(t.grad.numpy()).__name__)
a *= 10
print(t, t._version)
a -= 0.5 * t.grad.numpy()
print(t)
t.grad.numpy()[:] = 0
print(t.grad)
print(torch.from_numpy(a).requires_grad, torch.from_numpy(a) is torch.from_numpy(a))
try:
    torch.from_numpy(np.array([1, 2])).requires_grad_()
except RuntimeError as e:
    print(type(e).__name__, e)
