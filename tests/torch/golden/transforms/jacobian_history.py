import torch


def show(name, y):
    node = y.grad_fn
    behind = [None if n is None else type(n).__name__ for n, _ in node.next_functions] if node else None
    print(name, type(node).__name__, behind, tuple(y.shape), y.stride(), y._is_view())


x = torch.tensor([[1.5, 0.5], [0.25, 2.0]])
h = x.clone().requires_grad_()
for f in (
    lambda x: x.sin(),
    lambda x: x.sum(),
    lambda x: x.sum(0),
    lambda x: x.cumprod(0),
    lambda x: x.T,
    lambda x: x.softmax(-1),
    lambda x: x / x.norm(),
    lambda x: x.sort(0)[0],
    lambda x: x.mode(0)[0],
    lambda x: x[0],
    lambda x: x.prod(),
):
    show("jacrev", torch.func.jacrev(f)(h))
    show("jacrev", torch.func.jacrev(f)(x))
for f in (lambda x: x.sin(), lambda x: x.sum(0), lambda x: x.T, lambda x: x @ x, lambda x: (x * x).sum()):
    show("jacfwd", torch.func.jacfwd(f)(h))
    show("jacfwd", torch.func.jacfwd(f)(x))
one = torch.tensor(2.0, requires_grad=True)
show("jacfwd", torch.func.jacfwd(lambda x: x * x)(one))
both = torch.func.jacrev(lambda a, b: (a * b, a.sum()), argnums=(0, 1))(h, x)
for row in both:
    for part in row:
        show("both", part)
for f in (lambda x: x**2, lambda x: x * 2, lambda x: torch.where(x > 1, x * 0.5, x).square(), lambda x: x.log2()):
    _, pull = torch.func.vjp(f, h)
    show("vjp", pull(torch.ones(2, 2, requires_grad=True))[0])
