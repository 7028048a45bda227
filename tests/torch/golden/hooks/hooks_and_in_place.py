import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * 2
y.register_hook(lambda g: print("before the change", g))
y.mul_(5)
y.register_hook(lambda g: print("after the change", g))
y.sum().backward()
print(x.grad)
x.grad = None
y = x * 2
v = y[0]
y.register_hook(lambda g: print("y", g))
v.register_hook(lambda g: print("v", g))
v.mul_(7)
v.register_hook(lambda g: print("v after", g))
y.sum().backward()
print(x.grad)
