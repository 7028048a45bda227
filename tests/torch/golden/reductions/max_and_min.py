import torch

x = torch.tensor([[3.0, 1.0, 3.0], [2.0, 5.0, 4.0]])
print(x.max(), x.min(), x.max(0), x.min(1))
m = x.max(dim=1, keepdim=True)
print(m.values, m.indices, m[0] is m.values, type(m), len(m))
values, indices = torch.max(x, 0)
print(
    values, indices, torch.max(x, torch.tensor(2.5)), torch.minimum(x[0], x[1]), x.amax((0, 1)), x.amin(0), x.aminmax()
)
print(
    x.argmax(),
    x.argmax(1),
    x.argmin(0, keepdim=True),
    torch.tensor([float("nan"), 1.0]).max(),
    torch.tensor([1.0, float("nan")]).argmax(),
)
print(
    torch.tensor([True, False]).max(),
    torch.tensor([[True, False]]).max(1),
    torch.tensor(2).max(),
    torch.fmax(torch.tensor([float("nan")]), torch.ones(1)),
)
for bad in (
    lambda: torch.zeros(0).max(),
    lambda: torch.zeros(0, 3).max(0),
    lambda: torch.zeros(0).argmax(),
    lambda: x.max(2),
    lambda: torch.tensor([1j]).max(),
    lambda: torch.zeros(0).amax(),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
