import torch


def quadratic(w):
    return (w * torch.tensor([1.0, 10.0]) * w).sum() / 2


w = torch.tensor([1.0, 1.0], requires_grad=True)
v = torch.zeros_like(w)
for step in range(5):
    loss = quadratic(w)
    loss.backward()
    v.mul_(0.9).add_(w.grad)
    with torch.no_grad():
        w.add_(v, alpha=-0.05)
    print("momentum", step, f"{loss.item():.4f}", [f"{x:.4f}" for x in w.tolist()])
    w.grad = None

w = torch.tensor([1.0, 1.0], requires_grad=True)
m, s = torch.zeros(2), torch.zeros(2)
for step in range(1, 6):
    (g,) = torch.autograd.grad(quadratic(w), w)
    m = 0.9 * m + 0.1 * g
    s = 0.999 * s + 0.001 * g * g
    with torch.no_grad():
        w -= 0.1 * (m / (1 - 0.9**step)) / ((s / (1 - 0.999**step)).sqrt() + 1e-8)
    print("adam", step, [f"{x:.4f}" for x in w.tolist()])
print(v.requires_grad, m.requires_grad, w.requires_grad)
