import torch

x = torch.arange(6.0).view(2, 3)
m = x > 2
print(m, x[m], x[~m], x[m].shape)
print(x[torch.tensor([True, False])], x[:, torch.tensor([True, False, True])])
print(x[[True, False]], x[x < 0], x[m.any(1)])
x[m] = -1
print(x)
x[x < 0] = torch.tensor([7.0, 8.0, 9.0])
print(x)
y = x.clone().requires_grad_()
(y[m] * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
print(y.grad)
for bad in (lambda: x[torch.tensor([True, False, True])], lambda: x.__setitem__(m, torch.ones(2))):
    try:
        bad()
    except (IndexError, RuntimeError) as e:
        print(type(e).__name__, e)
print(x[torch.tensor([1, 0], dtype=torch.uint8)])
