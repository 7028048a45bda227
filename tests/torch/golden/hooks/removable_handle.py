import torch

x = torch.tensor(1.0, requires_grad=True)
with x.register_hook(lambda g: print("inside", g)) as handle:
    (x * 2).backward()
    print(type(handle).__name__)
(x * 2).backward()
print(x.grad)
a = x.register_hook(lambda g: print("a"))
b = x.register_hook(lambda g: print("b"))
c = x.register_hook(lambda g: print("c"))
b.remove()
(x * 2).backward()
a.remove()
c.remove()
(x * 2).backward()
print(len(x._backward_hooks))
try:
    x.register_hook(3)
    (x * 2).backward()
except (TypeError, RuntimeError) as e:
    print(type(e).__name__, e)
