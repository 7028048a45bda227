import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward(create_graph=True)
g = x.grad
print(g, g.is_leaf)
x.grad = None
(g**2).sum().backward()
print(x.grad)
x.grad.zero_()
(2 * x).sum().backward(create_graph=True)
print(x.grad)
