import torch
from torch.linalg import ldl_factor, ldl_factor_ex, ldl_solve


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


a = torch.tensor([[1.0, 2, 3], [2, 1, 4], [3, 4, 0]])
c = a + 1j * torch.tensor([[1.0, 2, 3], [0, 1, 4], [1, 4, 0]])
both, pivots = ldl_factor(a)
print(both, both.stride(), pivots)
show(lambda: ldl_factor(a + torch.ones(3, 3).triu(1)))  # only the lower triangle counts
show(lambda: ldl_factor(c))
show(lambda: ldl_factor(c, hermitian=True))
show(lambda: ldl_factor_ex(torch.stack([a, 0 * a, torch.diag(torch.tensor([4.0, 0, 1]))])))
show(lambda: ldl_factor(torch.empty(2, 0, 0)))
b = torch.tensor([[1.0, 2], [3, 4], [5, 6]])
show(lambda: torch.allclose(a @ ldl_solve(both, pivots, b), b, atol=1e-5))
show(lambda: ldl_solve(both.expand(2, 3, 3), pivots.expand(2, 3), b).stride())
for hermitian in (False, True):
    full = c.tril() + (c.tril(-1).mH if hermitian else c.tril(-1).mT)
    if hermitian:
        full.diagonal().imag.zero_()
    found = ldl_solve(*ldl_factor(c, hermitian=hermitian), b + 1j, hermitian=hermitian)
    print(torch.allclose(full @ found, b + 1j, atol=1e-5))
show(lambda: torch.func.vmap(ldl_factor)(torch.stack([a, 2 * a]))[0])

# What they refuse.
show(lambda: ldl_factor(0 * a))
show(lambda: ldl_factor_ex(0 * a, check_errors=True))
for wrong in (a[:2], a[0], a.long(), a.half()):
    show(lambda x=wrong: ldl_factor(x))
    show(lambda x=wrong: ldl_solve(x, pivots, b))
for wrong in (pivots[:2], pivots[None], pivots.float()):
    show(lambda p=wrong: ldl_solve(both, p, b))
for wrong in (b[:, 0], b[:2], b.double()):
    show(lambda x=wrong: ldl_solve(both, pivots, x))
x = a.clone().requires_grad_()
show(lambda: ldl_factor(x))
show(lambda: ldl_factor(x).LD.sum().backward())
show(lambda: ldl_solve(x, pivots, b).sum().backward())
