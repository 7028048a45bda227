import torch

x = torch.tensor([2.7])
print(int(x), float(x), bool(x), x.item(), type(torch.tensor(3).item()), complex(torch.tensor(1.0)))
print(
    f"{torch.tensor(2.5):.3f}",
    f"{torch.tensor(7):>4d}|",
    f"{torch.tensor([1, 2])}",
    round(torch.tensor(2.567).item(), 2),
)
print(list(range(torch.tensor(3))), [10, 20, 30][torch.tensor(1)], "ab" * torch.tensor(2))
print(torch.tensor(5).__index__(), hash(x) == id(x), len(torch.zeros(4, 2)))
for bad in (
    lambda: bool(torch.ones(2)),
    lambda: float(torch.ones(2)),
    lambda: int(torch.tensor([])),
    lambda: torch.ones(2).item(),
    lambda: [1, 2][torch.tensor(1.0)],
    lambda: len(torch.tensor(1)),
    lambda: float(torch.tensor(1j)),
    lambda: bool(torch.tensor([])),
):
    try:
        print(bad())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, e)
