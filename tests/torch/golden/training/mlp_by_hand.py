import torch

torch.manual_seed(5)
x = torch.linspace(-1, 1, 32).unsqueeze(1)
y = torch.sin(3 * x)
W1 = (torch.randn(1, 16) * 0.5).requires_grad_()
b1 = torch.zeros(16, requires_grad=True)
W2 = (torch.randn(16, 1) * 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [W1, b1, W2, b2]
for step in range(200):
    hidden = torch.tanh(x @ W1 + b1)
    loss = (hidden @ W2 + b2 - y).pow(2).mean()
    grads = torch.autograd.grad(loss, params)
    with torch.no_grad():
        for p, g in zip(params, grads, strict=True):
            p.sub_(0.1 * g)
    if step % 25 == 0 or step == 199:
        print(step, f"{loss.item():.6f}")
print([tuple(p.shape) for p in params], [p.grad for p in params], W1._version)
print(hidden.shape, hidden.grad_fn.name(), (hidden @ W2).argmax().item())
