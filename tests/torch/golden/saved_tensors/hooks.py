import torch


def pack(x):
    print("pack", x)
    return x * 10


def unpack(x):
    print("unpack", x)
    return x / 10


a = torch.ones(2, requires_grad=True)
b = torch.full((2,), 2.0, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = a * b
print(y)
y.sum().backward()
print(a.grad, b.grad)
z = a * b
z.sum().backward()
print(a.grad)
