import torch

a, b = torch.tensor([7.0, -7.0, 7.0]), torch.tensor([2.0, 2.0, -2.0])
print(
    a / b,
    a // b,
    a % b,
    torch.fmod(a, b),
    torch.remainder(a, b),
    torch.div(a, b, rounding_mode="trunc"),
    torch.div(a, b, rounding_mode="floor"),
)
i, j = torch.tensor([7, -7]), torch.tensor([2, 2])
print(
    i / j,
    i // j,
    i % j,
    torch.fmod(i, j),
    torch.floor_divide(i, j),
    torch.div(i, j, rounding_mode="trunc"),
    7 // j,
    7 % j,
)
print(
    torch.tensor([1.0, -1.0, 0.0]) / 0,
    torch.tensor([1.0, 0.0]) // 0,
    torch.tensor([1.0]) % 0,
    a % -3,
    5 % torch.tensor([3.0]),
)
for bad in (
    lambda: i // 0,
    lambda: i % 0,
    lambda: torch.fmod(i, 0),
    lambda: torch.div(a, b, rounding_mode="up"),
    lambda: i / 0,
    lambda: divmod(i, 2),
):
    try:
        print(bad())
    except (RuntimeError, ZeroDivisionError, TypeError) as e:
        print(type(e).__name__, e)
x = torch.tensor([7.0, -7.0], requires_grad=True)
y = torch.tensor([2.0, 2.0], requires_grad=True)
(x % y).sum().backward()
print(x.grad, y.grad, x // y, x / y, 1 / x, x.reciprocal())
