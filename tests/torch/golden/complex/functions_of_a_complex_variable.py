import torch

z = torch.tensor([1 + 1j, 0.5 - 0.25j], dtype=torch.complex128)
for f in (
    torch.exp,
    torch.log,
    torch.sqrt,
    torch.sin,
    torch.cos,
    torch.tanh,
    torch.reciprocal,
    torch.square,
    torch.sigmoid,
    torch.sgn,
    torch.sinh,
    torch.atan,
):
    x = z.clone().requires_grad_()
    y = f(x)
    y.backward(torch.ones_like(y))
    print(f.__name__, [f"{v:.4f}" for v in y.tolist()], [f"{v:.4f}" for v in x.grad.tolist()], y.grad_fn.name())
zero = torch.tensor([0j], requires_grad=True)
zero.abs().backward(torch.ones(1))
print(zero.grad, torch.tensor([0j]).sgn(), torch.tensor([0j]).angle())
