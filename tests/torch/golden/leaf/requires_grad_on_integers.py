import torch

for make in (
    lambda: torch.tensor([1, 2], requires_grad=True),
    lambda: torch.tensor([True], requires_grad=True),
    lambda: torch.zeros(2, dtype=torch.int64, requires_grad=True),
    lambda: torch.ones(2, dtype=torch.uint8).requires_grad_(),
    lambda: torch.arange(3, requires_grad=True),
    lambda: torch.tensor([1, 2]).requires_grad_(False),
):
    try:
        print(make())
    except RuntimeError as e:
        print(type(e).__name__, e)
x = torch.tensor([1, 2])
try:
    x.requires_grad = True
except RuntimeError as e:
    print(type(e).__name__, e)
print(x.requires_grad)
x.requires_grad = False
w = torch.tensor([1.5], requires_grad=True)
print(w.int(), w.int().requires_grad, w.long().is_leaf, (w > 1).requires_grad, w.int().grad_fn)
