import torch
from torch.autograd.graph import register_multi_grad_hook

a = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
c = torch.tensor(3.0, requires_grad=True)
register_multi_grad_hook((a, b, c), lambda grads: print("all", grads))
any_handle = register_multi_grad_hook((a, b, c), lambda grad: print("any", grad), mode="any")
(a * b).backward()
(a * b * c).backward()
any_handle.remove()
(c * 2).backward()
print(a.grad, b.grad, c.grad)
try:
    register_multi_grad_hook((a,), print, mode="none")
except ValueError as e:
    print(type(e).__name__, e)
