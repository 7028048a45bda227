import torch

x = torch.ones(2, requires_grad=True)
buffer = torch.zeros(2, 2)
row = buffer[0]
row.add_(x)
print(row)
print(buffer)
print(buffer.is_leaf, row.is_leaf, buffer.requires_grad)
buffer.sum().backward()
print(x.grad)
other = torch.zeros(4)
left, right = other[:2], other[2:]
left.copy_(x * 3)
print(right)
print(right.requires_grad, type(right.grad_fn).__name__)
right.mul_(2)
other.sum().backward()
print(x.grad)
