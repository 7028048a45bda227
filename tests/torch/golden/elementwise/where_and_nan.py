import torch

x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), torch.zeros(3))
print(y)
y.sum().backward()
print(x.grad)
x.grad = None
safe = torch.where(x > 0, x, torch.ones(3))
torch.where(x > 0, safe.sqrt(), 0.0).sum().backward()
print(x.grad)
x.grad = None
(x.masked_fill(x <= 0, 1.0).log() * (x > 0)).sum().backward()
print(x.grad)
x.grad = None
x.where(x > 0, torch.tensor(-1.0)).sum().backward()
print(x.grad, x.where(x > 0, -1))
print(
    torch.nan_to_num(torch.tensor([float("nan"), float("inf"), -float("inf")]), nan=1.0, posinf=2.0),
    (x.detach().log() * 0).isnan(),
)
