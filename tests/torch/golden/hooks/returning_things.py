import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for value in (None, torch.tensor([5.0, 6.0]), torch.ones(3), torch.ones(2).double(), 3.0, torch.ones(1, 2)):
    x.grad = None
    handle = x.register_hook(lambda g, value=value: value)
    try:
        (x * 3).sum().backward()
        print(x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
    handle.remove()
y = x * 1
y.register_hook(lambda g: torch.ones(2, 2))
try:
    y.sum().backward()
except RuntimeError as e:
    print(type(e).__name__, e)
