import torch

nan, inf = float("nan"), float("inf")
x = torch.tensor([0.0, -0.0, 1.0, -1.0, inf, -inf, nan])
for f in (
    torch.log,
    torch.sqrt,
    torch.exp,
    torch.reciprocal,
    torch.tanh,
    torch.sigmoid,
    torch.atan,
    torch.relu,
    torch.erf,
    torch.expm1,
    torch.rsqrt,
    torch.sign,
    torch.log1p,
):
    print(f.__name__, f(x))
print(x + inf, x - x, x * 0, x / x, x == x)
print(
    torch.maximum(x, torch.tensor(0.0)),
    x.clamp(-1, 1),
    x.int()[:4],
    x.bool(),
    torch.tensor([inf, nan]).sum(),
    x[:4].logsumexp(0).isfinite(),
)
print(
    torch.copysign(torch.tensor([1.0, 2.0]), torch.tensor([-0.0, 0.0])),
    torch.nextafter(torch.tensor([1.0]), torch.tensor([2.0])) > 1,
    torch.tensor([1e38]) * 10,
    torch.tensor([1e-45]) / 2,
)
