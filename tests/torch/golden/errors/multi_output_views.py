import torch

x = torch.arange(4.0, requires_grad=True)
for make in (lambda y: y.split(2), lambda y: y.chunk(2), lambda y: y.unbind(), lambda y: y.view(2, 2).unbind(1)):
    y = x * 1
    v = make(y)[0]
    try:
        v.mul_(2)
    except RuntimeError as e:
        print(e)
    y = x * 1
    v = make(y)[0]
    y.mul_(2)
    try:
        print(v.grad_fn)
    except RuntimeError as e:
        print(e)
