import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)


def saved(y):
    node = y.grad_fn
    return sorted(
        name for name in dir(node) if name.startswith("_saved") and isinstance(getattr(node, name), torch.Tensor)
    )


for y in (
    x + x,
    x * x,
    x.exp(),
    x.log(),
    x.tanh(),
    x.sin(),
    x / 2,
    x / x,
    x**2,
    x.sum(),
    x.max(),
    x.relu(),
    -x,
    x.abs(),
):
    print(y.grad_fn.name(), saved(y))
