import torch

A = torch.tensor([[1.0, -2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
for p in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
    A.grad = None
    y = torch.linalg.matrix_norm(A, p)
    y.backward()
    print(p, f"{y.item():.4f}", A.grad.round(decimals=4).tolist())
for p in (0, 0.5, 1, 2, float("inf")):
    print(
        p,
        f"{torch.linalg.vector_norm(A, p).item():.4f}",
        torch.linalg.norm(A, dim=0).detach().round(decimals=4).tolist(),
    )
print(
    torch.linalg.norm(A[0], float("inf")),
    torch.linalg.matrix_norm(torch.ones(2, 3, 3)),
    torch.linalg.norm(torch.ones(4)),
)
for bad in (
    lambda: torch.linalg.matrix_norm(A[0]),
    lambda: torch.linalg.matrix_norm(A, 3),
    lambda: torch.linalg.norm(A, "bad"),
    lambda: torch.linalg.vector_norm(torch.tensor([1, 2])),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
