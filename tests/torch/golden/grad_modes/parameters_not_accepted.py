import torch

for f in (
    lambda: torch.set_grad_enabled("yes"),
    lambda: torch.set_grad_enabled(),
    lambda: torch.no_grad(1, 2),
):
    try:
        f()
        print("taken", torch.is_grad_enabled())
    except TypeError as e:
        print(type(e).__name__)
    torch.set_grad_enabled(True)
print(torch.is_grad_enabled())
