import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    torch.log,
    torch.sin,
    torch.square,
    lambda a: a**3,
    lambda a: a * a,
    lambda a: 1 / a,
    torch.abs,
    lambda a: a.prod(),
):
    a = x * 2
    y = f(a)
    print(y.grad_fn.name())
    a.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(str(e).split(" Hint")[0])
