import torch

f = torch.zeros(2, 3)
i = torch.zeros(3, dtype=torch.int64)
b = torch.zeros(3, dtype=torch.bool)
for change in (
    lambda: i.add_(1.5),
    lambda: i.div_(2),
    lambda: i.add_(torch.ones(3)),
    lambda: b.add_(1),
    lambda: b.__ior__(torch.ones(3, dtype=torch.int64)),
    lambda: f.add_(torch.ones(3, 2, 3)),
    lambda: f[0].add_(torch.ones(2, 1)),
    lambda: f.mul_(torch.ones(4)),
    lambda: f.copy_(torch.ones(3, 3)),
    lambda: i.sqrt_(),
    lambda: i.copy_(torch.tensor([1.9, -1.9, 0.5])),
    lambda: i.floor_divide_(2),
    lambda: f.mul_(2j),
    lambda: f.add_(i),
):
    try:
        print(change())
    except RuntimeError as e:
        print(e)
