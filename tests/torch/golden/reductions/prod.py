import torch

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
print(x.prod(), x.prod(1), x.prod(0, keepdim=True), torch.tensor([2, 3]).prod(), torch.tensor([True, False]).prod())
x.prod().backward()
print(x.grad)
for data in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [5.0], [-1.0, 2.0]):
    z = torch.tensor(data, requires_grad=True)
    z.prod().backward()
    print(data, z.grad)
    z.grad = None
    z.prod(0).backward()
    print(data, z.grad)
print(torch.zeros(0).prod(), torch.ones(2, dtype=torch.int32).prod().dtype, x.prod(dtype=torch.float64))
try:
    x.prod((0, 1))
except TypeError as e:
    print(str(e).splitlines()[0])
