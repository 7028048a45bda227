import torch


def gradient(f, *points):
    x = torch.tensor(points, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return [round(v, 4) for v in x.grad.tolist()]


for name in (
    "abs",
    "sqrt",
    "rsqrt",
    "relu",
    "sign",
    "log",
    "reciprocal",
    "square",
    "exp",
    "log1p",
    "sinc",
    "atan",
):
    print(name, gradient(getattr(torch, name), 0.0, -0.0))
print(
    "asin, acos, atanh",
    gradient(torch.asin, 1.0, -1.0),
    gradient(torch.acos, 1.0, -1.0),
    gradient(torch.atanh, 1.0, 0.0),
)
print("acosh, asinh, tan", gradient(torch.acosh, 1.0), gradient(torch.asinh, 0.0), gradient(torch.tan, 0.0))
print(
    "atan2",
    gradient(lambda x: torch.atan2(x[0], x[1]), 0.0, 0.0),
    gradient(lambda x: torch.atan2(x[0], x[1]), 0.0, 1.0),
)
print("hypot", gradient(lambda x: torch.hypot(x[0], x[1]), 0.0, 0.0))
print("max", gradient(lambda x: torch.max(x[0], x[1]), 1.0, 1.0), gradient(lambda x: torch.fmin(x[0], x[1]), 1.0, 1.0))
print("x * log x", gradient(lambda x: x * x.log(), 0.0, 1.0), gradient(lambda x: torch.xlogy(x, x), 0.0, 1.0))
print("norm", gradient(lambda x: x.norm(), 0.0, 0.0), gradient(lambda x: (x * x).sum().sqrt(), 0.0, 0.0))
print(
    "clamp",
    gradient(lambda x: x.clamp(0, 1), 0.0, 1.0, 2.0),
    gradient(torch.nan_to_num, float("nan"), float("inf"), 1.0),
)
print("hardtanh-like", gradient(lambda x: x.relu() - (-x).relu(), 0.0), gradient(lambda x: (x.abs() + x) / 2, 0.0))
