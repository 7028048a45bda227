import torch

x = torch.ones(2, requires_grad=True)
for f in (
    lambda: x.foo,
    lambda: x.grad.sum(),
    lambda: (x * 2).grad,
    lambda: setattr(x, "grad", 1),
    lambda: setattr(x, "grad", torch.ones(3)),
    lambda: setattr(x * 2, "requires_grad", False),
    lambda: setattr(x, "shape", (1, 2)),
    lambda: setattr(x, "is_leaf", True),
    lambda: setattr(x, "data", torch.ones(3).double()),
    lambda: setattr(x, "requires_grad", "yes"),
    lambda: delattr(x, "grad"),
):
    try:
        print(f())
    except (AttributeError, RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
x.note = "mine"
print(x.note, x.requires_grad, x.dtype)
