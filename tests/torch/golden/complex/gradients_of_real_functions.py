import torch

z = torch.tensor([3 + 4j, 1 - 2j], requires_grad=True)
for f in (
    lambda: z.abs().sum(),
    lambda: (z * z.conj()).real.sum(),
    lambda: z.real.sum(),
    lambda: z.imag.sum(),
    lambda: z.angle().sum(),
    lambda: (z**2).real.sum(),
    lambda: z.abs().pow(2).sum(),
    lambda: torch.view_as_real(z).prod(),
    lambda: z.exp().imag.sum(),
    lambda: z.sum().abs(),
    lambda: (1 / z).real.sum(),
):
    z.grad = None
    y = f()
    y.backward()
    print(y.grad_fn.name(), [f"{v:.4f}" for v in z.grad.tolist()])
lr = 0.1
w = torch.tensor(2 + 2j, requires_grad=True)
for _ in range(3):
    loss = (w - 1j).abs() ** 2
    (g,) = torch.autograd.grad(loss, w)
    w = (w - lr * g).detach().requires_grad_()
    print(f"{loss.item():.4f}", f"{w.item():.4f}")
