import torch

# Operations that look for places look at the values, whatever is being transformed.

x = torch.tensor([[1.0, 2.0, 2.0, 0.5], [3.0, 1.0, 3.0, 1.0], [4.0, 0.0, 0.0, 0.25]])
for f in (
    lambda t: t.mode(0)[0],
    lambda t: t.kthvalue(2, 0)[0],
    lambda t: t.median(0)[0],
    lambda t: t.median(),
    lambda t: t.nanmedian(),
):
    print(torch.func.vmap(f)(x), torch.func.vmap(f, in_dims=1)(x))
    print(torch.func.grad(lambda t: f(t).sum())(x))
    print(torch.func.vmap(torch.func.grad(f))(x))
    print(torch.func.jvp(f, (x,), (x * 2,)))
    print(torch.func.vmap(torch.func.vmap(f, in_dims=1))(x.reshape(3, 2, 2)))
