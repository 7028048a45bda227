"""Floor division has no derivative, in place under its own name."""

import torch


def show(f):
    x = torch.tensor([3.0, -5.0], requires_grad=True)
    v = x * 1
    try:
        v = f(v, x)
        print(v.tolist(), v._version, type(v.grad_fn).__name__)
        v.sum().backward()
        print(x.grad)
    except RuntimeError as error:
        print(error)


def divided(v, y):
    v //= y
    return v


for f in (
    lambda v, x: divided(v, 2),
    lambda v, x: divided(v, torch.tensor([2.0, 3.0])),
    lambda v, x: v.floor_divide_(2.5),
    lambda v, x: v.floor_divide_(x),
    lambda v, x: torch.ones(2).floor_divide_(x),
    lambda v, x: v // 2,
    lambda v, x: v.floor_divide(x),
    lambda v, x: 7 // v,
    lambda v, x: divided(x, 2),
):
    show(f)
for v, y in (
    (torch.tensor([3, 5]), 2),
    (torch.tensor([3, 5]), 2.5),
    (torch.tensor([3.5]), True),
    (torch.tensor([3]), 0),
):
    try:
        print(v.floor_divide_(y), v._version)
    except RuntimeError as error:
        print(error)
