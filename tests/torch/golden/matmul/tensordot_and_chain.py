import torch

a, b = torch.arange(24.0).view(2, 3, 4), torch.arange(12.0).view(4, 3)
print(
    torch.tensordot(a, b, dims=1).shape,
    torch.tensordot(a, b, dims=([1, 2], [1, 0])),
    torch.tensordot(a, a, dims=3),
    torch.tensordot(b, b, dims=0).shape,
)
print(torch.linalg.multi_dot([b, b.T, b]), torch.chain_matmul(b, b.T).shape)
print(
    torch.kron(torch.eye(2), torch.tensor([[1.0, 2.0]])),
    torch.block_diag(torch.ones(1, 2), torch.tensor([[3.0]])),
    torch.cross(torch.tensor([1.0, 0.0, 0.0]), torch.tensor([0.0, 1.0, 0.0]), dim=0),
)
print(
    torch.trace(b[:3]),
    torch.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5),
    torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]])),
)
for bad in (
    lambda: torch.tensordot(a, b, dims=2),
    lambda: torch.tensordot(a, b, dims=([0], [0, 1])),
    lambda: torch.linalg.multi_dot([b]),
    lambda: torch.trace(a),
    lambda: torch.cross(b, b, dim=0),
    lambda: torch.matrix_power(b, 2),
):
    try:
        print(bad())
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
