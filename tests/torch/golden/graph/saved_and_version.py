import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 1
z = y * y
print(z.grad_fn._saved_self)
y.add_(1)
try:
    print(z.grad_fn._saved_self)
except RuntimeError as e:
    print(type(e).__name__, e)
constant = x * 5
print(constant.grad_fn._saved_self, constant.grad_fn._saved_other)
c = torch.tensor([7.0, 8.0])
m = x * c
print(m.grad_fn._saved_self, m.grad_fn._saved_other)
