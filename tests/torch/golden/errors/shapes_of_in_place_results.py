import torch

x = torch.tensor([1.0], requires_grad=True)
y = x * 1
for f in (lambda: y.add_(torch.ones(3)), lambda: y.mul_(torch.ones(2, 1)), lambda: y.copy_(torch.ones(2))):
    try:
        f()
    except RuntimeError as e:
        print(type(e).__name__, e)
i = torch.tensor([1, 2])
for f in (lambda: i.add_(1.5), lambda: i.mul_(x), lambda: i.div_(2), lambda: i.__iadd__(torch.tensor([0.5]))):
    try:
        f()
    except RuntimeError as e:
        print(type(e).__name__, e)
print(i, y, y._version)
