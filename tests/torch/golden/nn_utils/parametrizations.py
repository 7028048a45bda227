"""Orthogonal weights, and weights of a norm of their own."""

import warnings

import torch
from torch import nn
from torch.nn.utils import parametrizations as P

warnings.simplefilter("always")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def rounded(t):
    return [round(v, 3) for v in t.flatten().tolist()]


for kind in ("matrix_exp", "cayley", "householder", None):
    for trivial in (True, False):
        for n, k in ((3, 3), (3, 4), (4, 3)):
            torch.manual_seed(1)
            m = P.orthogonal(nn.Linear(n, k), orthogonal_map=kind, use_trivialization=trivial)
            y = m(torch.ones(2, n)).sum()
            y.backward()
            w = m.weight if k >= n else m.weight.T
            print(kind, trivial, (n, k), round(y.item(), 3), torch.allclose(w.T @ w, torch.eye(min(n, k)), atol=1e-5))
            print(rounded(m.parametrizations.weight.original.grad), m.weight.grad_fn.name())
            show(lambda m=m: m.load_state_dict(m.state_dict()))
torch.manual_seed(0)
m = P.orthogonal(nn.Linear(3, 3))
q = torch.linalg.qr(torch.randn(3, 3)).Q
m.weight = q
print(torch.allclose(m.weight, q, atol=1e-6), m)
m = P.orthogonal(nn.Linear(3, 3), orthogonal_map="householder", use_trivialization=False)
m.weight = q
print(torch.allclose(m.weight.T @ m.weight, torch.eye(3), atol=1e-5))
m = P.orthogonal(nn.Linear(3, 3), use_trivialization=False)
show(lambda: setattr(m, "weight", q))
show(lambda: setattr(P.orthogonal(nn.Linear(3, 3)), "weight", torch.eye(2)))
show(lambda: P.orthogonal(nn.Linear(3, 3), "x"))
show(lambda: P.orthogonal(nn.Linear(3, 3), "bias"))
show(lambda: P.orthogonal(nn.Linear(3, 3), orthogonal_map="x"))
show(lambda: P.orthogonal(nn.Linear(3, 3).to(torch.complex64), orthogonal_map="householder"))

for dim in (0, 1, None, -1):
    torch.manual_seed(0)
    m = P.weight_norm(nn.Linear(3, 2), dim=dim)
    y = m(torch.ones(1, 3))
    y.sum().backward()
    print(
        dim,
        rounded(y),
        m.weight.grad_fn.name(),
        [(n, tuple(p.shape), rounded(p.grad)) for n, p in m.named_parameters()],
    )
torch.manual_seed(0)
m = P.weight_norm(nn.Linear(3, 2))
before = m.weight.detach().clone()
old = {"weight_g": torch.ones(2, 1), "weight_v": before, "bias": m.bias.detach()}
print(m.load_state_dict(old), rounded(m.weight.norm(dim=1)))
m.weight = 2 * before
print(torch.allclose(m.weight, 2 * before))

torch.manual_seed(0)
m = nn.utils.weight_norm(nn.Linear(3, 2))
print(m, [n for n, _ in m.named_parameters()], rounded(m(torch.ones(1, 3))), m.weight.grad_fn.name())
show(lambda: nn.utils.weight_norm(m))
show(lambda: nn.utils.weight_norm(nn.LazyLinear(2)))
show(lambda: nn.utils.weight_norm(nn.Linear(2, 2), dim=None).weight_g.shape)
print(nn.utils.remove_weight_norm(m), [n for n, _ in m.named_parameters()], type(m.weight).__name__)
show(lambda: nn.utils.remove_weight_norm(m))
v = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
for dim in (-1, 0, 1, 2):
    g = torch.norm_except_dim(v, 2, dim)
    w = torch._weight_norm(v, g.detach(), dim)
    print(dim, tuple(g.shape), g.grad_fn.name(), w.grad_fn.name(), torch.allclose(w, v))
