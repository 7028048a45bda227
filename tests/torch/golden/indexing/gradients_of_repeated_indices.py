import torch

x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x[[0, 0, 2]]
print(y)
(y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(x.grad)
x.grad = None
z = x[torch.tensor([[0, 1], [1, 1]])]
print(z.shape, z.grad_fn.name())
z.pow(2).sum().backward()
print(x.grad)
x.grad = None
x.index_select(0, torch.tensor([2, 2])).sum().backward()
print(x.grad)
x.grad = None
(x[0] * x[1] + x[-1]).backward()
print(x.grad)
