import torch

x = torch.tensor([1.0, 2.0])
for f in (
    lambda: torch.tensor([1]) // 0,
    lambda: torch.tensor([1]) ** -1,
    lambda: torch.zeros(0).max(),
    lambda: torch.zeros(0).argmin(),
    lambda: x.item(),
    lambda: bool(x),
    lambda: int(torch.tensor(float("nan"))),
    lambda: int(torch.tensor(float("inf"))),
    lambda: torch.tensor(300, dtype=torch.uint8),
    lambda: torch.tensor([2**70]),
    lambda: torch.full((2,), 300, dtype=torch.uint8),
    lambda: torch.tensor([1, 2], dtype=torch.uint8) + 300,
    lambda: torch.tensor([1], dtype=torch.uint8).fill_(256),
    lambda: x.kthvalue(0),
    lambda: x.topk(3),
    lambda: x.quantile(2.0),
    lambda: x.multinomial(3),
    lambda: torch.linspace(0, 1, -1),
    lambda: torch.arange(0, 1, 0),
    lambda: torch.eye(-1),
    lambda: x.std(correction=2),
    lambda: torch.bincount(torch.tensor([-1])),
    lambda: x.renorm(-1, 0, 1),
):
    try:
        print(f())
    except (RuntimeError, IndexError, ValueError, OverflowError, ZeroDivisionError) as e:
        print(type(e).__name__, e)
