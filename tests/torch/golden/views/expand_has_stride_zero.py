import torch

x = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
y = x.expand(3, 4)
print(y, y.stride(), y.is_contiguous())
print(x.expand(-1, 4).shape, x.expand(2, -1, 4).shape, x.expand_as(torch.zeros(3, 2)).stride())
(y * torch.arange(12.0).view(3, 4)).sum().backward()
print(x.grad)

d = x.detach().expand(3, 2)
try:
    d.add_(1)
except RuntimeError as e:
    print(e)
try:
    x.expand(4, 4)
except RuntimeError as e:
    print(e)
try:
    x.expand(4)
except RuntimeError as e:
    print(e)
print(torch.broadcast_to(torch.arange(3), (2, 3)).stride())
