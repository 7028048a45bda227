import torch

x = torch.tensor([[1.0, 3.0, 2.0, 3.0], [4.0, 4.0, 1.0, 2.0]])
print(
    x.median(),
    x.median(1),
    x.mode(1),
    x.nanmedian(0),
    torch.tensor([1, 2]).median(),
    x.mode(0, keepdim=True).values.shape,
)
print(torch.tensor([1.0, float("nan"), 3.0]).median(), torch.tensor([1.0, float("nan"), 3.0]).nanmedian())
print(
    torch.quantile(x, 0.5),
    torch.quantile(x, torch.tensor([0.0, 0.25, 1.0]), dim=1),
    x.nanquantile(0.5, dim=0, keepdim=True),
)
for how in ("linear", "lower", "higher", "midpoint", "nearest"):
    print(how, torch.tensor([1.0, 2.0, 4.0, 8.0]).quantile(0.4, interpolation=how))
r = torch.tensor([4.0, 1.0, 3.0, 2.0], requires_grad=True)
print(r.median(), r.median(0), r.quantile(0.5))
r.quantile(0.5).backward()
print(r.grad)
for bad in (
    lambda: torch.zeros(0).median(0),
    lambda: torch.quantile(x, 1.5),
    lambda: torch.quantile(torch.tensor([1, 2]), 0.5),
    lambda: x.quantile(torch.tensor([0.5], dtype=torch.float64)),
):
    try:
        print(bad())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
