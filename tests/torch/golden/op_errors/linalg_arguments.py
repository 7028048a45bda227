import torch
from torch import linalg


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


a = torch.tensor([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
both, pivots = linalg.lu_factor(a)
for wrong in (0, 4, -1):
    bad = pivots.clone()
    bad[1] = wrong
    for adjoint in (False, True):
        show(lambda p=bad, adj=adjoint: linalg.lu_solve(both, p, torch.ones(3, 1), adjoint=adj))
    show(lambda p=bad: linalg.lu_solve(both, p, torch.ones(1, 3), left=False))
    show(lambda p=bad: torch.lu_unpack(both, p))
    show(lambda p=bad: torch.lu_unpack(both, p, unpack_pivots=False).P)

c = torch.full((), 1j)
for name in ("rcond", "atol", "rtol"):
    show(lambda n=name: linalg.pinv(a, **{n: c}))
for name in ("tol", "atol", "rtol"):
    show(lambda n=name: linalg.matrix_rank(a, **{n: c}))

x = torch.eye(24).reshape(6, 4, 2, 3, 4)
show(lambda: linalg.tensorsolve(x, torch.ones(8, 4)))
show(lambda: linalg.tensorsolve(torch.ones(6, 4, 2, 3), torch.ones(6, 4)))
show(lambda: linalg.tensorsolve(torch.ones(3, 2, 2), torch.ones(3)))

# No reflections at all give the identity, for each matrix of a batch.
show(lambda: linalg.householder_product(torch.ones(2, 3, 2), torch.empty(2, 0)))
show(lambda: linalg.householder_product(torch.empty(2, 0, 0), torch.empty(2, 0)).shape)
