import torch

a, b = torch.tensor([[1, 2]]), torch.tensor([[3, 4]])
print(torch.cat([a, b]), torch.cat((a, b), dim=1), torch.cat([a, b], -1).shape)
print(
    torch.stack([a, b]).shape,
    torch.stack([a, b], -1),
    torch.hstack([a, b]),
    torch.vstack([a, b]),
    torch.dstack([a, b]).shape,
)
print(
    torch.cat([torch.tensor([]), a.float()]),
    torch.cat([a, b.double()]).dtype,
    torch.concat([a]),
    torch.column_stack([a[0], b[0]]),
)
x = torch.ones(2, requires_grad=True)
y = torch.cat([x, x * 2, torch.zeros(1)])
print(y, torch.stack([x, x]))
(y * torch.arange(5.0)).sum().backward()
print(x.grad)
for bad in (
    lambda: torch.cat([]),
    lambda: torch.stack([]),
    lambda: torch.cat([a, torch.zeros(1, 3)]),
    lambda: torch.stack([a, torch.zeros(1, 3)]),
    lambda: torch.cat([a, torch.zeros(2)]),
    lambda: torch.cat([torch.tensor(1), torch.tensor(2)]),
    lambda: torch.cat([a, b], 2),
    lambda: torch.cat(a),
    lambda: torch.cat([a, 1]),
):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError, ValueError) as e:
        print(type(e).__name__, e)
