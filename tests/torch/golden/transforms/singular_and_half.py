"""Extrema that are nan, bounds that are met exactly, and bfloat16 that is filled, inside of transforms."""

import torch
from torch.func import grad, jvp, vmap

nan = float("nan")
for f in (torch.max, torch.min, torch.median, torch.nanmedian, torch.amax):
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for values in ([nan, 1.0, -1.0], [2.0, 2.0, 1.0], [1.0, 2.0, 3.0], [nan, nan, nan]):
            x = torch.tensor(values, dtype=dtype)
            try:
                print(f.__name__, grad(f)(x), vmap(grad(f))(torch.stack([x, x])).tolist())
            except RuntimeError as error:
                print(f.__name__, error)
print(grad(lambda x: torch.maximum(x, x * 0.5).max())(torch.tensor(nan)))

x, low, high = torch.tensor([0.5, 1.0, 3.0]), torch.tensor([0.5, 2.0, 1.0]), torch.tensor([0.5, 3.0, 3.0])
t = torch.tensor([1.0, 2.0, 3.0])
for f in (
    lambda x: x.clamp(low),
    lambda x: x.clamp(max=high),
    lambda x: x.clamp(low, high),
    lambda x: x.clamp(high, low),
    lambda x: x.clone().clamp_(low),
    lambda x: torch.clamp(low, x),
    lambda x: torch.clamp(low, x, x * 2),
    lambda x: torch.clamp_min(x, low),
    lambda x: torch.clamp_max(x, high),
    lambda x: x.clamp(0.5, 3.0),
):
    print(jvp(f, (x,), (t,)), grad(lambda x: (f(x) * t).sum())(x))

ones = torch.ones(2, 3, dtype=torch.bfloat16)
for f in (lambda x: x.clone().fill_(2.5), lambda x: x.clone().zero_(), lambda x: x.sin().fill_(x.sum())):
    print(vmap(f)(ones), grad(lambda x: f(x).sum())(ones), jvp(f, (ones,), (ones,)))
