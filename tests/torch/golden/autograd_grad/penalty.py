import torch

w = torch.tensor([1.0, -2.0], requires_grad=True)
x = torch.tensor([3.0, 0.5], requires_grad=True)
out = (w * x * x).sum()
(g,) = torch.autograd.grad(out, x, create_graph=True)
print(g)
penalty = (g**2).sum()
print(penalty)
penalty.backward()
print(w.grad, x.grad)
(w * x * x).sum().backward()
print(w.grad, x.grad)
