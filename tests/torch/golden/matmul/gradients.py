import torch

A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
B = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
v = torch.tensor([1.0, -1.0], requires_grad=True)
for f in (
    lambda: A @ B,
    lambda: A @ v,
    lambda: v @ A,
    lambda: v @ v,
    lambda: A.mm(B),
    lambda: torch.bmm(A[None], B[None]),
    lambda: torch.outer(v, v),
    lambda: A[None] @ B,
    lambda: torch.einsum("ij,jk->ik", A, B),
    lambda: v @ A @ v,
):
    A.grad = B.grad = v.grad = None
    y = f()
    y.sum().backward()
    print(y.grad_fn.name(), *(None if t.grad is None else t.grad.tolist() for t in (A, B, v)))
(A @ torch.ones(3, 2, 2)).sum().backward()
print(A.grad, (A @ torch.ones(3, 2, 2)).grad_fn.name())
