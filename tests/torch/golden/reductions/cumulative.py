import torch

x = torch.tensor([1.0, 3.0, 2.0, 3.0], requires_grad=True)
print(x.cumsum(0), x.cumprod(0), x.cummax(0), x.cummin(0), x.diff(), torch.logcumsumexp(x * 0, 0))
for f in (lambda t: t.cumsum(0), lambda t: t.cumprod(0), lambda t: t.cummax(0).values, lambda t: t.diff() ** 2):
    x.grad = None
    f(x).sum().backward()
    print(x.grad)
print(
    torch.tensor([True, True]).cumsum(0),
    torch.tensor([[1, 2], [3, 4]]).cumprod(1),
    torch.tensor([200, 100], dtype=torch.uint8).cumsum(0),
)
print(torch.tensor(3.0).cumsum(0), torch.zeros(0).cumsum(0), torch.ones(2, 2).cumsum(1, dtype=torch.float64))
print(
    torch.diff(torch.tensor([1, 4, 9, 16]), n=2),
    torch.trapezoid(torch.tensor([1.0, 2.0, 3.0])),
    torch.cumulative_trapezoid(torch.tensor([1.0, 2.0, 3.0])),
)
z = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
z.cumprod(0).sum().backward()
print(z.grad)
for bad in (lambda: x.cumsum(), lambda: x.cumsum(1), lambda: x.cummax()):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
