import torch
from torch.utils.checkpoint import checkpoint_sequential

calls = []


def layer(k):
    def f(x):
        calls.append(k)
        return x * x * k

    return f


x = torch.ones(2, requires_grad=True)
for segments in (1, 2, 3):
    x.grad = None
    calls.clear()
    y = checkpoint_sequential([layer(k) for k in (1, 2, 3, 4)], segments, x, use_reentrant=False)
    print(segments, y, calls)
    y.sum().backward()
    print(x.grad, calls)
