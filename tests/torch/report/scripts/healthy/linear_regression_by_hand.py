# check: abs(w.item() - 3) < 0.2 and abs(b.item() - 2) < 0.2
import torch

torch.manual_seed(0)
x = torch.linspace(-1, 1, 50)
y = 3 * x + 2 + 0.1 * torch.randn(50)
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for epoch in range(60):
    loss = torch.mean((w * x + b - y) ** 2)
    loss.backward()
    with torch.no_grad():
        w -= 0.3 * w.grad
        b -= 0.3 * b.grad
        w.grad.zero_()
        b.grad.zero_()
print(w, b)
