import torch

A = torch.tensor([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], dtype=torch.float64)
b = torch.tensor([[1.0], [3.0], [5.0]], dtype=torch.float64)
s = torch.linalg.lstsq(A, b)
print(s.solution.round(decimals=4).abs(), s.rank, s.singular_values, type(s))
print(
    torch.linalg.matrix_exp(torch.zeros(2, 2)),
    torch.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]])).round(decimals=4),
)
print(
    torch.linalg.matrix_power(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), -1),
    torch.linalg.cross(torch.eye(3)[0], torch.eye(3)[1]),
)
LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(LU.round(decimals=4), pivots, pivots.dtype)
P, L, U = torch.linalg.lu(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(P, L.round(decimals=4), U.round(decimals=4))
print(
    torch.linalg.vecdot(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])),
    torch.linalg.diagonal(A).sum(),
    torch.linalg.vander(torch.tensor([1.0, 2.0])),
)
