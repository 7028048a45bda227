import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda: x.to(torch.int64).requires_grad_(),
    lambda: (x * 1j).sum().backward(),
    lambda: (x * 1j).abs().sum().backward(),
    lambda: torch.autograd.grad(x.sum(), x, torch.tensor(1j)),
    lambda: torch.autograd.grad((x * 1j).sum(), x, torch.tensor(1.0)),
    lambda: torch.autograd.grad((x * 1j).sum(), x, torch.tensor(1j)),
    lambda: torch.autograd.grad(x.sum(), x, torch.tensor(2)),
    lambda: torch.autograd.grad(x.sum(), x, torch.tensor(True)),
):
    try:
        print(f())
    except RuntimeError as e:
        print(type(e).__name__, e)
print(x.grad)
