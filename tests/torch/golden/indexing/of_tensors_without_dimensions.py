# gather, scatter and their kin on tensors without dimensions or elements: where the history leads, what is refused.
import torch

x = torch.tensor(2.0, requires_grad=True)
v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
m = torch.arange(6.0).reshape(2, 3).t()


def nodes(t):
    return [type(n).__name__ for n, _ in t.grad_fn.next_functions if n is not None]


zero = torch.tensor(0)
for name, t in (
    ("gather", x.gather(0, zero)),
    ("gather 1", x.gather(0, torch.tensor([0]))),
    ("take", torch.take(x, torch.tensor([0, 0]))),
    ("masked_select", x.masked_select(x > 0)),
    ("scatter", x.scatter(0, zero, x)),
    ("scatter_add", x.scatter_add(0, zero, x)),
    ("scatter_reduce", x.scatter_reduce(0, zero, x, "amin")),
    ("index_add", v.index_add(0, torch.tensor([0]), v.narrow(0, 0, 1), alpha=2)),
    ("index_copy", x.index_copy(0, zero, torch.ones(1, requires_grad=True))),
    ("smaller index", v.scatter(0, torch.tensor([1]), v)),
):
    print(name, tuple(t.shape), nodes(t))
v.index_add(0, torch.tensor([0, 0]), v[1:] * 1.0, alpha=2).sum().backward()
print(v.grad)
x.gather(0, torch.tensor([0, 0])).sum().backward()
print(x.grad)
for f in (
    lambda: v.scatter(0, torch.tensor([1]), v).sum().backward(),
    lambda: torch.zeros(2, 0).index_select(1, torch.tensor([0])),
    lambda: torch.zeros(0, 3).index_fill(0, torch.tensor([0]), 1.0),
    lambda: torch.tensor([True, False]).scatter_reduce(0, torch.tensor([0, 1]), torch.tensor([True, True]), "mean"),
    lambda: torch.zeros(2, dtype=torch.complex64).scatter_reduce(0, torch.tensor([0, 1]), torch.ones(2) + 0j, "amax"),
    lambda: torch.zeros(2, dtype=torch.bool).index_reduce(0, torch.tensor([0]), torch.tensor([True]), "prod"),
    lambda: torch.slice_scatter(torch.ones(2, dtype=torch.complex64, requires_grad=True), torch.ones(1) + 0j, 0, 0, 1),
    lambda: torch.tensor(1.0)[__import__("numpy").int64(0)],
    lambda: torch.zeros(2).masked_fill_(torch.tensor([True, False]), 1e300),
    lambda: torch.zeros(2, dtype=torch.float16).fill_(1e5),
):
    try:
        print(f())
    except (RuntimeError, IndexError, NotImplementedError) as e:
        print(type(e).__name__, e)
print(torch.zeros(0).gather(0, torch.tensor([])), torch.zeros(2, 3).gather(0, torch.tensor([])).shape)
print(torch.zeros(0).scatter(0, torch.tensor([]), torch.zeros(0)))
b = torch.tensor([True, False, True])
b[b] = False
print(b)
w = torch.tensor([1.0, -1.0])
w[w > 0] = w[1]
print(w, w._version)
i = torch.tensor([0])
print(m.scatter(0, torch.zeros(1, 2, dtype=torch.int64), 1.0).stride(), m.index_copy(0, i, m[:1]).stride())
print(m.index_put((i,), torch.tensor(1.0)).stride(), m.index_fill(0, i, 1.0).stride(), m.put(i, m[:1, 0]).stride())
