import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)


def fail(t):
    raise ValueError("in the hook")


for pack, unpack in (
    (lambda t: None, lambda t: torch.ones(2)),
    (lambda t: "text", lambda t: 3),
    (lambda t: t, lambda t: torch.ones(3)),
    (fail, lambda t: t),
    (lambda t: t, fail),
    (lambda: 0, lambda t: t),
):
    x.grad = None
    try:
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = x.exp()
        y.sum().backward()
        print(x.grad)
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, str(e).replace("<lambda>() takes", "takes"))
