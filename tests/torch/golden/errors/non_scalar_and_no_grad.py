import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([1.0, 2.0])
for f in (
    lambda: (x * 2).backward(),
    lambda: c.sum().backward(),
    lambda: c.backward(),
    lambda: torch.autograd.grad(x * 2, x),
    lambda: torch.autograd.grad(c.sum(), c),
    lambda: torch.autograd.backward([x.sum(), c.sum()]),
    lambda: torch.autograd.backward([c.sum(), x.sum()]),
    lambda: torch.empty(0, requires_grad=True).backward(),
    lambda: torch.ones(1, 1, requires_grad=True).mul(1).backward(),
    lambda: (x > 1).any().backward(),
    lambda: x.sum().backward(torch.ones(2)),
    lambda: x.sum().backward(c.sum().requires_grad_()),
):
    try:
        f()
        print("ran")
    except RuntimeError as e:
        print(type(e).__name__, e)
