import torch

x = torch.zeros(2, requires_grad=True)
y = x * 1
g = torch.tensor([1.0, 2.0])
(x + 0).backward(g)
print(x.grad, x.grad.data_ptr() == g.data_ptr(), x.grad is g)
g[0] = 100
print(x.grad)
x.grad = None
x.backward(g)
print(x.grad.data_ptr() == g.data_ptr(), x.grad is g)
a = torch.zeros(2, requires_grad=True)
b = torch.zeros(2, requires_grad=True)
(a + b).backward(torch.tensor([1.0, 2.0]))
print(a.grad.data_ptr() == b.grad.data_ptr())
a.grad.zero_()
print(a.grad, b.grad)
