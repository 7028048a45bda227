import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda a: a + 1,
    lambda a: a * 2,
    lambda a: -a,
    lambda a: a.sum(),
    lambda a: a.view(2),
    lambda a: a - 3,
    torch.clone,
):
    x.grad = None
    a = x * 2
    y = f(a)
    a.zero_()
    y.sum().backward()
    print(y.grad_fn.name(), x.grad)
y = x * 2
y += y.detach() ** 2
y.sum().backward()
print(x.grad)
