import torch


def show(**values):
    for name, value in values.items():
        print(name, value, value.requires_grad)


def without_grad(x):
    y1 = x**2
    y2 = y1 * 2
    return y1, y2, y1 + y2


def detached(x):
    y1 = x**2
    y2 = y1.detach() * 2
    return y1, y2, y1 + y2


def under_no_grad(x):
    y1 = x**2
    with torch.no_grad():
        y2 = y1 * 2
    return y1, y2, y1 + y2


for requires_grad, f in [(False, without_grad), (True, without_grad), (True, detached), (True, under_no_grad)]:
    print(f.__name__, requires_grad)
    x = torch.tensor([1.0, 2.0], requires_grad=requires_grad)
    y1, y2, y3 = f(x)
    show(x=x, y1=y1, y2=y2, y3=y3)
    try:
        y3.backward(torch.ones(2))
    except RuntimeError as e:
        print(type(e).__name__, e)
    try:
        y3.sum().backward()
    except RuntimeError as e:
        print(type(e).__name__, e)
    print(x.grad)
