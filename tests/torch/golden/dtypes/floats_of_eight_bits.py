import copy
import io

import torch


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


numbers = torch.tensor([1e5, 449.0, -1.0, 0.3, 3.0, 1.5, 6.0, 2e-3])
for name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"):
    d = getattr(torch, name)
    x = numbers.to(d)
    print(x, x.float(), x.double().tolist(), x[4].item(), x.tolist(), x.numel() * x.element_size())
    print(d.is_floating_point, d.is_signed, d.itemsize, x.type(), torch.finfo(d))
    print(x.view(torch.uint8), x[1:3], x[2], x[torch.tensor([4, 5])], x[numbers > 2])
    print(x.index_select(0, torch.tensor([3])), torch.cat([x, x[:2]]), torch.stack([x[:2], x[2:4]]), x[:2].repeat(2))
    print(torch.where(numbers > 2, x, x[4]), x == x, x[3:] * x[3:], copy.deepcopy(x[:2]))
    print(
        torch.zeros(2, dtype=d).float(),
        torch.ones(2, dtype=d),
        torch.full((2,), 1.5, dtype=d),
        torch.empty(2, 3, dtype=d).shape,
    )
    print(
        torch.tensor([1.0, 300.0, 1e6], dtype=d),
        torch.zeros_like(x).float().float(),
        x.clone().fill_(2),
        x.clone().copy_(numbers),
    )
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    print(torch.load(file))
    for other in (torch.float32, torch.int32, torch.bfloat16):
        show(lambda other=other: torch.promote_types(other, d))
    show(lambda: torch.promote_types(d, d))
    for f in ("neg", "exp", "sum", "sin", "sign", "sqrt", "reciprocal", "sigmoid", "mean", "numpy", "floor", "prod"):
        show(getattr(x, f))
    for f in ("add", "sub", "div", "lt", "ge", "maximum", "fmod", "pow", "dot"):
        show(lambda f=f: getattr(torch, f)(x, x))
    show(lambda: 1 - x)
    show(lambda: x * 2.0)
    show(lambda: x / 2)
    show(lambda: x + numbers)
    show(lambda: torch.arange(3, dtype=d))
    show(lambda: torch.linspace(0, 1, 3, dtype=d))
    show(lambda: torch.rand(3, dtype=d))
    show(lambda: torch.full((2,), 1e39, dtype=d))
    show(lambda: torch.set_default_dtype(d))
    show(d.to_complex)
    w = torch.ones(2, requires_grad=True)
    y = w.to(d)
    print(y, y.float())
    y.float().sum().backward()
    print(w.grad)
