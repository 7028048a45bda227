import torch

x = torch.arange(6.0).view(2, 3)
t = x.t()
print(t.shape, t.stride(), t.is_contiguous())
try:
    t.view(6)
except RuntimeError as e:
    print(type(e).__name__, e)
print(t.reshape(6))
print(t.contiguous().view(6))
print(t.reshape(6).data_ptr() == x.data_ptr(), x.reshape(6).data_ptr() == x.data_ptr())
print(t.view(3, 2), t.view(3, 1, 2).stride())
try:
    t.view(2, 3)
except RuntimeError as e:
    print(e)
try:
    t.view(7)
except RuntimeError as e:
    print(e)
x.requires_grad_()
r = x.t().reshape(6)
print(r)
(r * torch.arange(6.0)).sum().backward()
print(x.grad)
