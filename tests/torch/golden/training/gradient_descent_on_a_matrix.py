import torch

A = torch.tensor([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
v = torch.ones(3, requires_grad=True)
for step in range(60):
    q = (v @ A @ v) / (v @ v)  # Rayleigh quotient
    q.backward()
    with torch.no_grad():
        v += 0.2 * v.grad
        v /= v.norm()
        v.grad.zero_()
    if step % 15 == 0:
        print(step, f"{q.item():.4f}")
print(f"{torch.linalg.eigvalsh(A)[-1].item():.4f}", f"{q.item():.4f}", v._version)

U = torch.tensor([[1.0], [0.5], [0.1]], requires_grad=True)
for step in range(40):
    residual = A - U @ U.T
    (g,) = torch.autograd.grad(residual.square().sum(), U)
    U = (U - 0.01 * g).detach().requires_grad_()
    if step % 10 == 0:
        print(step, f"{residual.square().sum().item():.4f}", g.shape)
