import torch

v, m, b = torch.arange(3.0), torch.arange(6.0).view(2, 3), torch.arange(12.0).view(2, 2, 3)
print(v @ v, m @ v, m @ m.T, b @ v, (b @ m.T).shape, (m @ b.mT).shape, (b @ b.mT).shape)
print(
    torch.matmul(torch.ones(5, 1, 2, 3), torch.ones(4, 3, 2)).shape,
    torch.matmul(torch.ones(3), torch.ones(4, 3, 2)).shape,
)
print(
    torch.zeros(2, 0) @ torch.zeros(0, 3),
    (torch.zeros(0, 2) @ torch.zeros(2, 3)).shape,
    torch.tensor([1, 2]) @ torch.tensor([3, 4]),
)
for bad in (
    lambda: v @ m,
    lambda: m @ m,
    lambda: b @ m,
    lambda: v @ torch.tensor(1.0),
    lambda: v @ torch.arange(2.0),
    lambda: v @ 2,
    lambda: torch.ones(3, 2, 2) @ torch.ones(2, 2, 2),
    lambda: m @ torch.ones(3, dtype=torch.int64),
    lambda: v @ torch.ones(3).double(),
):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
