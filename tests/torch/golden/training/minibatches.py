import torch

torch.manual_seed(4)
X, noise = torch.rand(12, 2), torch.randn(12)
y = X @ torch.tensor([2.0, -1.0]) + 0.1 * noise
w = torch.zeros(2, requires_grad=True)
for epoch in range(3):
    order = torch.randperm(12)
    running = 0.0
    for batch in order.split(5):
        loss = (X[batch] @ w - y[batch]).pow(2).mean()
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
        running += loss.item() * len(batch)
    print(epoch, order.tolist(), f"{running / 12:.5f}", [f"{v:.4f}" for v in w.tolist()])
for i in range(0, 12, 4):  # gradients of parts add up to the gradient of the whole
    ((X[i : i + 4] @ w - y[i : i + 4]) ** 2).sum().backward()
whole = torch.autograd.grad(((X @ w - y) ** 2).sum(), w)[0]
print(whole.shape, w._version)
