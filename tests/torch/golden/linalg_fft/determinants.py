import torch

A = torch.tensor([[2.0, 1.0], [1.0, 4.0]], dtype=torch.float64, requires_grad=True)
d = torch.linalg.det(A)
print(f"{d.item():.4f}", d.grad_fn.name(), A.det().grad_fn.name(), A.logdet().grad_fn.name())
d.backward()
print(A.grad.round(decimals=4))
A.grad = None
sign, logabs = torch.linalg.slogdet(A)
print(sign.item(), f"{logabs.item():.4f}", sign.requires_grad, type(torch.linalg.slogdet(A)))
logabs.backward()
print(A.grad.round(decimals=4))
print(
    torch.det(torch.zeros(2, 2)),
    torch.linalg.slogdet(torch.zeros(2, 2)),
    torch.logdet(-torch.eye(3)),
    torch.det(torch.zeros(0, 0)),
)
print(
    torch.linalg.det(torch.eye(2).expand(3, 2, 2)),
    torch.linalg.matrix_rank(torch.ones(2, 2)),
    torch.linalg.cond(torch.eye(2)),
)
for bad in (
    lambda: torch.det(torch.ones(2, 3)),
    lambda: torch.det(torch.ones(2)),
    lambda: torch.linalg.det(torch.eye(2, dtype=torch.int64)),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
