import torch

torch.manual_seed(0)
X = torch.randn(50, 3)
true_w, true_b = torch.tensor([1.5, -2.0, 0.5]), 0.7
y = X @ true_w + true_b + 0.01 * torch.randn(50)
w = torch.zeros(3, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
for step in range(101):
    loss = ((X @ w + b - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        b -= 0.1 * b.grad
    w.grad.zero_()
    b.grad.zero_()
    if step % 20 == 0:
        print(step, f"{loss.item():.5f}")
print([f"{v:.3f}" for v in w.tolist()], f"{b.item():.3f}")
print(w.is_leaf, w.requires_grad, w._version, loss.grad_fn.name())
