import torch

A = torch.tensor([[2.0, 1.0], [1.0, 4.0]], requires_grad=True)
b = torch.tensor([3.0, 5.0], requires_grad=True)
x = torch.linalg.solve(A, b)
print(x.detach().round(decimals=4), x.grad_fn.name(), x.shape)
x.sum().backward()
print(A.grad.round(decimals=4), b.grad.round(decimals=4))
print(torch.linalg.inv(A).detach().round(decimals=4), A.inverse().grad_fn.name())
print(torch.linalg.solve(A.detach(), torch.eye(2)).shape, torch.linalg.pinv(torch.ones(2, 3)).round(decimals=4))
upper = torch.tensor([[2.0, 1.0], [0.0, 4.0]])
print(torch.linalg.solve_triangular(upper, torch.tensor([[4.0], [8.0]]), upper=True))
for bad in (
    lambda: torch.linalg.inv(torch.ones(2, 2)),
    lambda: torch.linalg.solve(torch.zeros(2, 2), torch.ones(2)),
    lambda: torch.linalg.inv(torch.ones(2, 3)),
    lambda: torch.linalg.solve(A, torch.ones(3)),
    lambda: torch.linalg.inv(torch.ones(2)),
    lambda: torch.linalg.inv(torch.tensor([[1, 2], [3, 4]])),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(type(e).__name__, e)
