import torch

source = torch.tensor([1.0, 2.0])
x = torch.zeros(2, requires_grad=True)
x.data = source
print(x.data_ptr() == source.data_ptr())
source[0] = 7
print(x, source._version, x._version)
x.data.add_(1)
print(source)
view = x.detach()
x.data = torch.zeros(2)
print(view, x)
y = x * 2
y.data = torch.tensor([9.0, 9.0])
print(y, y.grad_fn.name())
y.sum().backward()
print(x.grad)
