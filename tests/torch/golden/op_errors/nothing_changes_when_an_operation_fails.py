import torch

x = torch.arange(4.0)
y = x.clone().requires_grad_() * 1
for f in (
    lambda: x.add_(torch.ones(3)),
    lambda: x.__setitem__(9, 1.0),
    lambda: x.view(3),
    lambda: x.mul_(1j),
    lambda: x.copy_(torch.ones(2, 2)),
    lambda: x.index_fill_(0, torch.tensor([7]), 1.0),
    lambda: x.masked_fill_(torch.tensor([True]), torch.ones(2)),
    lambda: x.transpose_(0, 1),
):
    try:
        f()
        print("fine", x)
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
print(x, x._version, x.shape)
for f in (lambda: y.mul_(torch.ones(3)), lambda: y.__setitem__(9, 1.0), lambda: y.div_(1, rounding_mode="x")):
    try:
        f()
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
print(y, y._version)
