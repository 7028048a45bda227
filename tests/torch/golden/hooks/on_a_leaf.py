import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
handle = x.register_hook(lambda g: print("first", g))
x.register_hook(lambda g: g * 10)
x.register_hook(lambda g: print("third", g))
(x * 3).sum().backward()
print(x.grad)
handle.remove()
(x * 3).sum().backward()
print(x.grad)
print(type(handle).__name__)
