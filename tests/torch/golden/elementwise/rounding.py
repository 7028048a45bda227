import torch

x = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 2.7])
print(x.round(), x.floor(), x.ceil(), x.trunc(), x.frac(), x.fix())
print(torch.round(torch.tensor([1.2345, 12.345]), decimals=2), torch.round(torch.tensor([1234.0]), decimals=-2))
print(
    torch.round(torch.tensor([1, 2])),
    torch.floor(torch.tensor([3])),
    x.sign(),
    x.sgn(),
    torch.signbit(torch.tensor([-0.0, 0.0])),
)
r = x.clone().requires_grad_()
for f in (torch.round, torch.floor, torch.ceil, torch.trunc, torch.frac, torch.sign):
    r.grad = None
    y = f(r)
    y.sum().backward()
    print(type(y.grad_fn).__name__, r.grad.tolist())
try:
    torch.ceil(torch.tensor([True]))
except RuntimeError as e:
    print(e)
