import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("y", g))
y.register_hook(lambda g: g + 1)
y.retain_grad()
z = (y * y).sum()
z.register_hook(lambda g: print("z", g))
z.backward()
print(y.grad, x.grad)
h = y.register_hook(lambda g: None)
h.remove()
h.remove()
try:
    torch.ones(2).register_hook(lambda g: g)
except RuntimeError as e:
    print(type(e).__name__, e)
