import torch

a, b = torch.ones(2, 3), torch.ones(2)
for f in (
    lambda: a + b,
    lambda: a * torch.ones(4, 3),
    lambda: a - torch.ones(2, 2),
    lambda: a / torch.ones(5, 2, 4),
    lambda: a == b,
    lambda: torch.where(a > 0, a, b),
    lambda: torch.where(torch.ones(4) > 0, a, 1.0),
    lambda: torch.maximum(a, b),
    lambda: a.lerp(torch.ones(2, 4), 0.5),
    lambda: torch.atan2(a, b),
    lambda: a.addcmul(a, b),
    lambda: a.clamp(min=b),
    lambda: a.pow(b),
    lambda: torch.add(a, torch.zeros(0)),
):
    try:
        print(f())
    except RuntimeError as e:
        print(e)
