import torch

x = torch.tensor([0, 1, 1, 3])
print(
    torch.bincount(x),
    torch.bincount(x, minlength=6),
    torch.bincount(x, weights=torch.tensor([1.0, 0.5, 0.25, 2.0])),
    torch.bincount(torch.tensor([], dtype=torch.int64)),
)
h = torch.tensor([1.0, 2.0, 1.0, 4.0])
print(
    torch.histc(h, bins=4),
    torch.histc(h, bins=3, min=0, max=3),
    torch.histc(h, bins=2, min=1, max=1),
    torch.histogram(h, 3, range=(1.0, 4.0)),
    torch.histogram(h, torch.tensor([0.0, 1.5, 5.0])),
)
print(
    torch.bincount(x).dtype,
    torch.bincount(x, weights=torch.ones(4)).dtype,
    torch.bincount(x, torch.ones(4, dtype=torch.int64)).dtype,
    x.bincount().sum(),
)
for bad in (
    lambda: torch.bincount(torch.tensor([-1])),
    lambda: torch.bincount(torch.tensor([1.0])),
    lambda: torch.bincount(torch.ones(2, 2, dtype=torch.int64)),
    lambda: torch.bincount(x, torch.ones(3)),
    lambda: torch.histc(x),
    lambda: torch.histc(h, bins=0),
    lambda: torch.histc(h, min=3, max=1),
    lambda: torch.histc(torch.tensor([float("nan")])),
    lambda: torch.bincount(x, minlength=-1),
):
    try:
        print(bad())
    except RuntimeError as e:
        print(e)
