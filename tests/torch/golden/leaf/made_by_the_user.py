import torch

for t in (
    torch.tensor(1.0),
    torch.tensor(1.0, requires_grad=True),
    torch.zeros(2),
    torch.ones(2, requires_grad=True),
    torch.arange(3.0, requires_grad=True),
    torch.full((2,), 7.0, requires_grad=True),
    torch.empty(0, requires_grad=True),
    torch.eye(2, requires_grad=True),
    torch.linspace(0, 1, 3, requires_grad=True),
    torch.tensor([1, 2]),
    torch.tensor(True),
    torch.tensor(1 + 2j, requires_grad=True),
):
    print(t, t.is_leaf, t.requires_grad, t.grad, t.grad_fn, t.dtype)
