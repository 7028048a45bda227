import torch

x = torch.arange(10.0, requires_grad=True)
a, b, c = x.split(4)
print(a, b, c)
for part in x.chunk(3):
    print(part, part._is_view(), part.storage_offset())
for row in x.view(2, 5).unbind():
    print(row)
print(x.split([2, 3, 5]))
print(x.tensor_split(3))
print(x.tensor_split((1, 7)))
(a.sum() + 2 * c.sum()).backward()
print(x.grad)
try:
    x.split([2, 3])
except RuntimeError as e:
    print(e)
