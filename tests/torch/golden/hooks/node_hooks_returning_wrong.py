import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for hook in (
    lambda gi, go: gi,
    lambda gi, go: (gi[0],),
    lambda gi, go: gi[0],
    lambda gi, go: (torch.ones(3), None),
    lambda gi, go: 3,
):
    y = x * 2
    y.grad_fn.register_hook(hook)
    try:
        y.sum().backward()
        print(x.grad)
    except (RuntimeError, TypeError) as e:
        print(type(e).__name__, e)
    x.grad = None
