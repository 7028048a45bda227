import torch

A = torch.tensor([[1 + 1j, 2], [3j, 4 - 1j]])
b = torch.tensor([1j, 1])
print(A @ b, A.T, A.mH, A.trace(), A.sum(0), A.abs().sum())
print(torch.linalg.det(A).resolve_conj(), torch.linalg.norm(b), torch.outer(b, b.conj()))
x = torch.linalg.solve(A, b)
print((A @ x - b).abs().max() < 1e-6, torch.linalg.inv(A).shape)
H = A @ A.mH
print(H, torch.linalg.eigvalsh(H).dtype, torch.allclose(H, H.mH))
r = A.clone().requires_grad_()
(r @ b).abs().square().sum().backward()
print(r.grad)
r.grad = None
torch.einsum("ij,j->i", r, b).imag.sum().backward()
print(r.grad)
