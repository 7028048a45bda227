"""Pooling of small whole numbers: values, indices, gradients, names of nodes."""

import torch
import torch.nn.functional as F

LENGTHS = (7, 6, 5)


def some(*shape):
    n = torch.Size(shape).numel()
    return (torch.arange(n) * 7 % 1009 - 5 + torch.arange(n) * 0.125).double().reshape(shape)


def show(name, f, x):
    x = x.clone().requires_grad_()
    found = f(x)
    y, *rest = found if isinstance(found, tuple) else (found,)
    node = y.grad_fn if "1d" not in name else y.grad_fn.next_functions[0][0]
    print(name, tuple(y.shape), type(node).__name__, [round(v, 4) for v in y.flatten()[:5].tolist()])
    g = torch.arange(1.0, y.numel() + 1).double().reshape(y.shape)
    (back,) = torch.autograd.grad(y, x, g)
    print("  ", round((back * some(*back.shape)).sum().item(), 2), [i.flatten()[-6:].tolist() for i in rest])


for n in (1, 2, 3):
    x = some(2, 2, *LENGTHS[:n])
    for args in ((2,), (3, 2, 1), (2, 1, 1, 2), (3, 2, 1, 1, True)):
        show(f"max_pool{n}d {args}", lambda x: getattr(F, f"max_pool{n}d")(x, *args, return_indices=True), x)
    for args in ((2,), (3, 2, 1), (3, 2, 1, True, False)):
        show(f"avg_pool{n}d {args}", lambda x: getattr(F, f"avg_pool{n}d")(x, *args), x)
    for size in (3, 4):
        show(f"adaptive_avg_pool{n}d {size}", lambda x: getattr(F, f"adaptive_avg_pool{n}d")(x, size), x)
        show(f"adaptive_max_pool{n}d {size}", lambda x: getattr(F, f"adaptive_max_pool{n}d")(x, size, True), x)
    print(type(getattr(F, f"adaptive_avg_pool{n}d")(x.requires_grad_(), 1).grad_fn).__name__)
    x = x.detach()
    values, places = getattr(F, f"max_pool{n}d")(x, 2, return_indices=True)
    show(f"max_unpool{n}d", lambda v: getattr(F, f"max_unpool{n}d")(v, places, 2, output_size=x.size()), values)
    out = getattr(F, f"lp_pool{n}d")(some(1, 1, *LENGTHS[:n]).abs(), 2, 2)
    print("lp", [round(v, 3) for v in out.flatten()[:4].tolist()])
    print(getattr(F, f"max_pool{n}d")(x[0], 2).shape, getattr(F, f"avg_pool{n}d")(x[0], 2).shape)
for n in (2, 3):
    torch.manual_seed(4)
    pool, x = getattr(F, f"fractional_max_pool{n}d"), some(2, 2, *LENGTHS[:n])
    show(f"fractional {n}", lambda x: pool(x, 2, output_size=3, return_indices=True), x)
    print(pool(x, 2, output_ratio=(0.5,) * n).shape, pool(x[0], 2, output_size=(1,) * n).shape)
show("divisor", lambda x: F.avg_pool2d(x, 2, divisor_override=-3), some(1, 1, 4, 4))
print(F.avg_pool2d(torch.arange(-4, 5).reshape(1, 1, 3, 3), 2, 1), F.max_pool2d(torch.arange(4).reshape(1, 2, 2), 2))
for dtype in (torch.float16, torch.bfloat16):
    x = some(1, 1, 4, 4).to(dtype)
    print(F.avg_pool2d(x, 2), F.max_pool2d(x, 3), F.adaptive_avg_pool2d(x, 3))
last = some(1, 2, 4, 4).contiguous(memory_format=torch.channels_last)
for y in (F.max_pool2d(last, 2), F.avg_pool2d(last, 2), F.adaptive_avg_pool2d(last, 2), F.adaptive_max_pool2d(last, 2)):
    print(y.stride())
nan = torch.tensor([[1.0, float("nan"), 3.0, 2.0]])
print(F.max_pool1d(nan, 2, return_indices=True))
print(torch.func.vmap(lambda x: F.max_pool2d(x, 2))(some(2, 1, 1, 4, 4)).flatten())
print(torch.func.vmap(lambda x: F.max_pool2d(x, 2, return_indices=True))(some(2, 1, 1, 4, 4))[1].flatten())
print(torch.func.jvp(lambda x: F.max_pool1d(x, 2), (some(1, 4),), (torch.tensor([[1.0, 2.0, 3.0, 4.0]]).double(),))[1])
x = some(1, 1, 4, 4).double().requires_grad_()
print(
    torch.autograd.gradcheck(lambda x: F.max_pool2d(x, 2, 1), x),
    torch.autograd.gradgradcheck(lambda x: F.avg_pool2d(x * x, 2), x),
)
