import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (torch.exp, torch.sqrt, torch.tanh, torch.sigmoid, torch.relu, torch.reciprocal, torch.rsqrt, torch.expm1):
    y = f(x)
    print(y.grad_fn.name())
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError as e:
        print(str(e).split(" Hint")[0])
