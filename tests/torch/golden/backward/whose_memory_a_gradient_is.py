import torch


def seen(g):
    return g._version, g._is_view(), g.stride()


def leaf():
    return torch.arange(6.0).reshape(2, 3).requires_grad_()


x = leaf()
x.sum().backward()
print("copied into the layout of the leaf", seen(x.grad))
x.sum().backward()
print("added to in place", seen(x.grad))

x = leaf()
(x * 2).sum().backward()
print("taken over", seen(x.grad))

x = leaf()
(x * x).sum().backward()
print("taken over after an addition in place", seen(x.grad))

x, g = leaf(), torch.ones(6)
x.view(-1).backward(g)
print("taken over from the caller", seen(x.grad), x.grad.data_ptr() == g.data_ptr())

for f in (
    lambda x: x.sum(),
    lambda x: (x * x).sum(),
    lambda x: x.max(),
    lambda x: x.max(0)[0].sum(),
    lambda x: x.sort()[0].sum(),
    lambda x: x[torch.tensor([0, 0])].sum(),
):
    for create_graph in (False, True):
        x = leaf()
        print(create_graph, *[seen(g) for g in torch.autograd.grad(f(x), x, create_graph=create_graph)])
for f in (
    lambda x: x.mean(),
    lambda x: x.mean(0).sum(),
    lambda x: (x + torch.ones(2, 2, 3)).sum(),
    lambda x: torch.maximum(x, x.flip(0)).sum(),
    lambda x: x.repeat(2, 2).sum(),
):
    x = leaf()
    print(*[seen(g) for g in torch.autograd.grad(f(x), x)])

x, y, g = leaf(), leaf(), torch.ones(2, 3)
gx, gy = torch.autograd.grad(x + y, (x, y), g)
print(gx is g, gy is g)
(gm,) = torch.autograd.grad(x.mean(), x)
print(gm.mul_(2))
(gs,) = torch.autograd.grad(x.sum(), x, create_graph=True)
try:
    gs.mul_(2)
except RuntimeError as e:
    print(e)
log = []
y = x * 2
y.register_hook(log.append)
(y + 1).backward(g)
print(log[0] is g)
