import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([1.0, 2.0])
y = (x * c).sum()
for outputs, inputs in [(y, c), (y, [x, c]), (c.sum(), x), (c, c), ([], x), (y, [])]:
    try:
        print(torch.autograd.grad(outputs, inputs, retain_graph=True))
    except (RuntimeError, ValueError) as e:
        print(type(e).__name__, e)
for outputs, inputs in [(y, 3), (3.0, x), (y, "x")]:
    try:
        print(torch.autograd.grad(outputs, inputs, retain_graph=True))
    except (RuntimeError, TypeError, AttributeError) as e:
        print(type(e).__name__)
