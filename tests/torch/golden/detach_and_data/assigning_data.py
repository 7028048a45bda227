import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
old = x.data_ptr()
x.data = torch.tensor([5.0, 6.0])
print(x, x.is_leaf, x.data_ptr() == old, x._version)
x.data = torch.arange(3.0)
print(x, x.shape)
x.data = torch.arange(4.0).view(2, 2).t()
print(x, x.shape, x.stride())
for value in (torch.tensor([1, 2]), 3.0, [1.0]):
    try:
        x.data = value
        print(x)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
