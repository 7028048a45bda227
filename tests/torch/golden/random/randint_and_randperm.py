import torch

torch.manual_seed(3)
print(
    torch.randint(10, (5,)),
    torch.randint(-5, 5, (2, 3)),
    torch.randint(0, 2, (4,), dtype=torch.uint8),
    torch.randint(3, (2,), dtype=torch.float32),
)
print(torch.randperm(5), torch.randperm(0), torch.randperm(1), torch.randperm(4, dtype=torch.int32), torch.randperm(10))
print(
    torch.randint_like(torch.zeros(3), 10),
    torch.empty(4, dtype=torch.int64).random_(10),
    torch.empty(2).random_(5, 8),
    torch.randint(2**40, (2,)),
    torch.zeros(3, dtype=torch.uint8).random_(),
)
for bad in (
    lambda: torch.randint(0, (2,)),
    lambda: torch.randint(5, 2, (2,)),
    lambda: torch.randperm(-1),
    lambda: torch.randint(300, (2,), dtype=torch.uint8),
    lambda: torch.randint(2.5, (2,)),
):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
