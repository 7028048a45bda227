import torch

x, y = torch.tensor([1.0, 2.0, float("nan")]), torch.tensor([1.0, 3.0, float("nan")])
print(x == y, x != y, x < y, x >= 2, x.eq(1), torch.ne(x, y), x.isnan(), x.isfinite(), torch.isinf(x), x.isposinf())
print(
    torch.tensor([1, 2]) == torch.tensor([1.0, 2.5]),
    torch.tensor(True) == 1,
    x == "a",
    torch.ones(2) != [1, 1],
)
print(x == None)  # noqa: E711
print(2 > x)  # noqa: SIM300
print(
    torch.logical_and(x > 0, y > 1),
    torch.logical_not(torch.tensor([0, 2])),
    torch.logical_xor(torch.tensor([1.0]), torch.tensor([0])),
    ~(x > 1),
    (x > 1) & (y > 1),
    (x > 1) | True,
    (x > 1) ^ (y > 1),
)
i = torch.tensor([5, 6])
print(i & 3, i | 8, i ^ 1, ~i, i << 1, i >> 1, i.bitwise_and(4), 3 & i)
print(
    torch.maximum(x, y),
    torch.fmin(x, torch.tensor(0.0)),
    torch.heaviside(torch.tensor([-1.0, 0.0, 1.0]), torch.tensor(0.5)),
)
for bad in (
    lambda: ~x,
    lambda: x & y,
    lambda: torch.ones(2) < torch.ones(3),
    lambda: x < "a",
    lambda: torch.tensor([1j]) < 1,
    lambda: bool(x == y),
    lambda: 1 < x < 2,
):
    try:
        print(bad())
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
