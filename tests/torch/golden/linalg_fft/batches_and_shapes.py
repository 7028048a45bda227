import torch

A = torch.tensor([[[2.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 8.0]]])
print(
    torch.linalg.inv(A),
    torch.linalg.det(A),
    torch.linalg.solve(A, torch.ones(2, 2, 1)).squeeze(),
    torch.linalg.eigvalsh(A),
    torch.linalg.cholesky(A.sqrt() ** 4),
)
print(
    torch.linalg.inv(A).stride(),
    torch.linalg.solve(A, torch.ones(2, 2)).shape,
    torch.linalg.qr(A).R.shape,
    torch.linalg.svdvals(torch.ones(3, 2, 4)).shape,
)
print(
    torch.diagonal(A, dim1=1, dim2=2),
    torch.linalg.matrix_norm(A, 1),
    A.logdet().shape,
    torch.linalg.pinv(torch.ones(5, 3, 2)).shape,
)
try:
    torch.linalg.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)]))
except RuntimeError as e:
    print(type(e).__name__, e)
try:
    torch.linalg.cholesky(torch.stack([torch.eye(2), -torch.eye(2)]))
except RuntimeError as e:
    print(type(e).__name__, e)
r = A.clone().requires_grad_()
torch.linalg.inv(r).sum().backward()
print(r.grad)
