import torch

a = torch.eye(3, dtype=torch.float64) + 0.5
L = torch.linalg


def show(name, call, count=1):
    for dtype in (torch.int32, torch.float32, torch.complex128):
        out = tuple(torch.empty(0, dtype=dtype) for _ in range(count))
        try:
            call(out if count > 1 else out[0])
            print(name, dtype, "written")
        except RuntimeError as e:
            print(name, dtype, e)


for name in ("cholesky", "inv", "det", "pinv", "eigvals", "eigvalsh", "svdvals", "matrix_rank", "norm", "vector_norm"):
    show(name, lambda out, f=getattr(L, name): f(a, out=out))
for name, count in (("eig", 2), ("eigh", 2), ("qr", 2), ("slogdet", 2), ("svd", 3), ("lu", 3)):
    show(name, lambda out, f=getattr(L, name): f(a, out=out), count)
show("cond", lambda out: L.cond(a, 1, out=out))
show("solve", lambda out: L.solve(a, a, out=out))
show("solve_triangular", lambda out: L.solve_triangular(a, a, upper=True, out=out))
show("matmul", lambda out: L.matmul(a, a, out=out))
show("multi_dot", lambda out: L.multi_dot([a, a, a], out=out))
show("vecdot", lambda out: L.vecdot(a, a, out=out))
show("nuclear_norm", lambda out: torch.nuclear_norm(a, out=out))
show("cholesky_inverse", lambda out: torch.cholesky_inverse(a, out=out))
show("geqrf", lambda out: torch.geqrf(a, out=out), 2)
