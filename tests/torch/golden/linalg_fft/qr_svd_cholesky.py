import torch

A = torch.tensor([[4.0, 2.0], [2.0, 3.0]], dtype=torch.float64, requires_grad=True)
L = torch.linalg.cholesky(A)
print(L.detach().round(decimals=4), L.grad_fn.name(), torch.linalg.cholesky(A, upper=True).detach().round(decimals=4))
L.sum().backward()
print(A.grad.round(decimals=4))
Q, R = torch.linalg.qr(A)
print(
    R.detach().abs().round(decimals=4), (Q @ R).detach().round(decimals=4), Q.grad_fn.name(), type(torch.linalg.qr(A))
)
M = torch.tensor([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
U, S, Vh = torch.linalg.svd(M, full_matrices=False)
print(S, U.shape, Vh.shape, torch.linalg.svdvals(M), torch.linalg.svd(M).U.shape, (U * S @ Vh).round(decimals=4).abs())
A.grad = None
torch.linalg.svdvals(A).sum().backward()
print(A.grad.round(decimals=4) + 0.0)
for bad in (
    lambda: torch.linalg.cholesky(-torch.eye(2)),
    lambda: torch.linalg.cholesky(torch.ones(2, 3)),
    lambda: torch.linalg.svd(torch.ones(2)),
    lambda: torch.linalg.qr(torch.ones(3)),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(type(e).__name__, e)
print(torch.cholesky_solve(torch.ones(2, 1, dtype=torch.float64), L.detach()).round(decimals=4))
