import torch

torch.manual_seed(2)
X = torch.cat([torch.randn(20, 2) + 1.5, torch.randn(20, 2) - 1.5])
t = torch.cat([torch.ones(20), torch.zeros(20)])
w = torch.zeros(2, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for step in range(51):
    logits = X @ w + b
    p = torch.sigmoid(logits)
    loss = -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()
    loss.backward()
    for q in (w, b):
        q.data -= 0.5 * q.grad
        q.grad = None
    if step % 10 == 0:
        print(step, f"{loss.item():.5f}", ((p > 0.5) == t.bool()).float().mean())
print([f"{v:.3f}" for v in w.tolist()], f"{b.item():.3f}", w._version, b.is_leaf)
print(((X @ w + b) > 0).sum(), loss.dtype, p.grad_fn.name())
