import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * 3).sum().backward()
print(x.data, x.grad.data, x.data.grad)
x.grad.data.zero_()
print(x.grad)
x.data.sub_(1)
print(x, x.detach().grad)
y = x.detach().requires_grad_()
(y * y).sum().backward()
print(y.grad, x.grad)
print(y.data_ptr() == x.data_ptr())
x.grad.detach_()
x.grad = x.grad.data + 1
print(x.grad)
