"""Second derivatives through a part of a tensor that broadcasts against the whole of it."""

import torch


def second(f, v):
    (g,) = torch.autograd.grad(f(v).sum(), v, create_graph=True)
    rows = [torch.autograd.grad(e, v, retain_graph=True)[0].tolist() for e in g.flatten()]
    print([[round(e, 4) for e in torch.tensor(row).flatten().tolist()] for row in rows])


v = torch.tensor([-1.5, 0.5], dtype=torch.float64, requires_grad=True)
m = torch.tensor([[1.0, 2.0], [-0.5, 0.25]], dtype=torch.float64, requires_grad=True)
for part in (
    lambda v: v[1:],
    lambda v: v[:1],
    lambda v: v[1],
    lambda v: v[[1]],
    lambda v: v.narrow(0, 1, 1),
    lambda v: v.flip(0)[1:],
):
    second(lambda v: v * v * part(v), v)
    second(lambda v: (v * v).hypot(part(v)), v)
    second(lambda v: (v * v).atan2(part(v)), v)
    second(lambda m: m * m * part(m), m)
    second(lambda m: m * m.t() * part(m.t()), m)
