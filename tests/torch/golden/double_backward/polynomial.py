import torch

x = torch.tensor(2.0, requires_grad=True)
y = x**5
for order in range(1, 7):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(order, y)
