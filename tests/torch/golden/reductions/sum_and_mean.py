import torch

x = torch.arange(6.0).view(2, 3)
print(
    x.sum(),
    x.sum(0),
    x.sum(1, keepdim=True),
    x.sum((0, 1)),
    x.sum(-1),
    x.sum(dim=()),
    x.sum([0, 1], keepdim=True).shape,
)
print(x.mean(), x.mean(1), x.mean((0, 1), keepdim=True), x.sum(dtype=torch.float64), x.nansum(), x.nanmean())
i = torch.tensor([[1, 2], [3, 4]])
print(
    i.sum(),
    i.sum().dtype,
    i.to(torch.int32).sum(0).dtype,
    i.bool().sum(),
    i.float().mean(0),
    i.sum(dtype=torch.float32),
)
print(
    torch.zeros(0).sum(),
    torch.zeros(0).mean(),
    torch.zeros(2, 0).sum(1),
    torch.zeros(2, 0).mean(1),
    torch.tensor(3.0).sum(0),
)
r = x.clone().requires_grad_()
print(r.sum(), r.mean(1), r.sum(1, keepdim=True))
r.mean(1).pow(2).sum().backward()
print(r.grad)
for bad in (
    lambda: i.mean(),
    lambda: x.sum(2),
    lambda: x.sum((0, 0)),
    lambda: x.sum("a"),
    lambda: x.mean(dtype=torch.int64),
    lambda: x.sum(0, 1, 2),
):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
