import torch
from torch.utils.checkpoint import checkpoint

count = 0


def f(x):
    global count
    count += 1
    return x.sin().cos().exp()


x = torch.tensor([0.5], requires_grad=True)
for use_reentrant in (True, False):
    count = 0
    y = x
    for _ in range(3):
        y = checkpoint(f, y, use_reentrant=use_reentrant)
    print("forward", count)
    y.backward()
    print("backward", count, round(x.grad.item(), 4))
count = 0
y = checkpoint(f, x, use_reentrant=False)
y.backward(retain_graph=True)
y.backward()
print(count)
