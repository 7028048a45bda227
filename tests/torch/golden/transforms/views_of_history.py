import torch

# Inside a transform a view of a tensor with history looks at its memory.

x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
y = x * 1


def f(t):
    row = y[0]
    row.data.mul_(10)
    return (t * y).sum()


print(torch.func.vjp(lambda t: y.T, torch.ones(2))[0]._base is y)
print(torch.func.vmap(lambda t: t.T)(y)._base is y, torch.func.vmap(lambda t: t[0])(y)._base is y)
for name in ("vmap", "jacrev", "jacfwd"):
    transform = getattr(torch.func, name)
    print(name, transform(lambda t: t[0])(y).grad_fn is not None)


def written(t):
    t = t.clone()
    t[0] = t[1] * 2
    return t


for given in (x, y):
    out = torch.func.vmap(written)(given)
    print(out.requires_grad, out.tolist(), torch.autograd.grad(out.sum(), x, retain_graph=True)[0].tolist())
    print(
        torch.func.jacrev(written)(given)[..., 0, 0].tolist(),
        torch.func.grad(lambda t: written(t).sum())(given).tolist(),
    )
print(torch.func.vmap(torch.func.grad(lambda t: written(t)[0] ** 2))(y).tolist())
