import torch

torch.manual_seed(5)
Wh = (torch.randn(4, 4) * 0.3).requires_grad_()
Wx = (torch.randn(2, 4) * 0.3).requires_grad_()
inputs = torch.randn(6, 3, 2)
target = inputs.sum((0, 2))
for step in range(21):
    h = torch.zeros(3, 4)
    states = []
    for x in inputs:
        h = torch.tanh(x @ Wx + h @ Wh)
        states.append(h)
    loss = (torch.stack(states).sum((0, 2)) - target).pow(2).mean()
    loss.backward()
    norm = torch.stack([p.grad.norm() for p in (Wh, Wx)]).norm()
    with torch.no_grad():
        for p in (Wh, Wx):
            p -= 0.05 * p.grad / norm.clamp(min=1.0)
            p.grad.zero_()
    if step % 5 == 0:
        print(step, f"{loss.item():.4f}", f"{norm.item():.2f}")
print(h.shape, len(states), h.grad_fn.name(), loss.requires_grad, Wh._version)
