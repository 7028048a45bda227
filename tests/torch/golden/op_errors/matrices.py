import torch

m, v, s = torch.ones(2, 3), torch.ones(3), torch.tensor(1.0)
for f in (
    lambda: m @ m,
    lambda: m.mm(v),
    lambda: m.mv(torch.ones(2)),
    lambda: v.dot(torch.ones(2)),
    lambda: v @ s,
    lambda: m.bmm(m),
    lambda: torch.ones(2, 2, 3).bmm(torch.ones(3, 3, 2)),
    lambda: torch.ones(2, 2, 3) @ torch.ones(3, 3, 2),
    lambda: torch.einsum("ij,jk", m, m),
    lambda: torch.addmm(v, m, m),
    lambda: torch.outer(m, v),
    lambda: m.t().t().trace() + torch.trace(v),
    lambda: torch.det(m),
    lambda: torch.linalg.inv(torch.zeros(2, 2)),
    lambda: torch.linalg.cholesky(m @ m.t() - 10 * torch.eye(2)),
    lambda: torch.tensordot(m, m, dims=1),
    lambda: torch.kron(m, 2),
    lambda: m.t() @ m.double().t(),
    lambda: torch.cdist(m, torch.ones(2, 2)),
    lambda: torch.cross(m.t(), m.t(), dim=1),
):
    try:
        print(f())
    except (RuntimeError, TypeError, ValueError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
