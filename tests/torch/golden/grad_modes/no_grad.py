import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
print(torch.is_grad_enabled())
with torch.no_grad():
    print(torch.is_grad_enabled())
    y = x * 2
    print(y, y.requires_grad, y.is_leaf, y.grad_fn)
    with torch.enable_grad():
        z = x * 2
        print(torch.is_grad_enabled(), z)
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
print((y * x).grad_fn.name(), (y * y).requires_grad)
try:
    with torch.no_grad():
        raise ValueError("inside")
except ValueError as e:
    print(e, torch.is_grad_enabled())
