import torch
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop


def f(x):
    y = x.sin()
    print("after sin")
    z = y.exp()
    print("after exp")
    return z + 1


x = torch.tensor([0.0], requires_grad=True)
for enable in (True, False):
    with set_checkpoint_early_stop(enable):
        y = checkpoint(f, x, use_reentrant=False)
    print("forward done")
    y.backward()
    print(x.grad)
