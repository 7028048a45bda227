import torch

A = torch.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=torch.float64, requires_grad=True)
e = torch.linalg.eigvalsh(A)
print(e.detach().round(decimals=4), e.grad_fn.name())
(e * torch.tensor([1.0, 10.0])).sum().backward()
print(A.grad.round(decimals=4))
L, Q = torch.linalg.eigh(A)
print((Q @ L.diag() @ Q.T).detach().round(decimals=4), (Q.T @ Q).detach().round(decimals=4).abs())
print(type(torch.linalg.eigh(A)), L.grad_fn.name(), L.shape, Q.stride())
A.grad = None
(Q**4).sum().backward()
print(A.grad.round(decimals=4).abs())
w = torch.linalg.eigvals(torch.tensor([[0.0, 1.0], [-1.0, 0.0]]))
print(w.dtype, w.imag.sort().values.round(decimals=4))
try:
    torch.linalg.eigh(torch.ones(2, 3))
except RuntimeError as err:
    print(err)
