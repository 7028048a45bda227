import torch

x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda g: g * 100)
x.register_post_accumulate_grad_hook(lambda p: print("accumulated", p.grad))
y = x * 3
y.register_hook(lambda g: print("y", g))
print(torch.autograd.grad(y * y, x, retain_graph=True))
print(x.grad)
(y * y).backward(retain_graph=True)
print(x.grad)
y.retain_grad()
print(torch.autograd.grad(y * y, x, retain_graph=True))
print(y.grad)
y.register_hook(lambda g: g * 10)
print(torch.autograd.grad(y * y, y))
