import torch


def hook(g):
    raise ValueError("from the hook")


with torch.autograd.set_detect_anomaly(True):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    z = y.sin()
    y.register_hook(hook)
    try:
        z.sum().backward()
    except ValueError as e:
        print(type(e).__name__, e)
    y = x * 3
    y.grad_fn.register_hook(lambda gi, go: hook(go))
    try:
        y.sum().backward()
    except ValueError as e:
        print(type(e).__name__, e)
