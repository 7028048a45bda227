import torch

a = torch.tensor(2.0, dtype=torch.float64)
x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
for _ in range(6):
    y = x**2 - a
    x.grad = None
    y.backward()
    with torch.no_grad():
        x -= y / x.grad
    print(f"{x.item():.12f}", f"{x.grad.item():.6f}")

s = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
r = torch.tensor(1.0, dtype=torch.float64)
for _ in range(6):
    r = (r + s / r) / 2
r.backward()
print(f"{r.item():.6f}", f"{s.grad.item():.6f}", f"{0.5 / 2**0.5:.6f}", r.grad_fn.name())
