import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(3):
    (x * x).sum().backward()
    print(k, x.grad)
g = x.grad
(x * 10).sum().backward()
print(x.grad, g, x.grad is g)
x.grad.zero_()
(x * 10).sum().backward()
print(x.grad, g)
x.grad = None
(x * 10).sum().backward()
print(x.grad, g, x.grad is g)
