import torch

x = torch.tensor([[3.0, 1.0, 2.0], [0.5, float("nan"), -1.0]])
print(x.sort(), x.sort(dim=0, descending=True), x.argsort(), torch.argsort(x, dim=0, descending=True), torch.msort(x))
values, indices = torch.sort(torch.tensor([2, 1, 2, 1]), stable=True)
print(values, indices, torch.tensor([True, False]).sort(), torch.tensor(3.0).sort(), torch.zeros(0).sort())
r = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
y = r.sort(descending=True)
print(y, type(y), y.indices.requires_grad, y.values.grad_fn.name())
(y.values * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(r.grad)
for bad in (lambda: x.sort(2), lambda: torch.tensor([1j]).sort(), lambda: x.sort("a")):
    try:
        print(bad())
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, str(e).splitlines()[0])
