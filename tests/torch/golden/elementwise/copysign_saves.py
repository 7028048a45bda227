"""copysign saves its first operand and its result, whichever of its operands requires grad."""

import torch


def names(node):
    return sorted(n for n in dir(node) if n.startswith("_saved"))


x, y = torch.tensor([1.0, -2.0, 0.0], requires_grad=True), torch.tensor([-1.0, 1.0, 2.0], requires_grad=True)
for a, b in ((x, y), (x, y.detach()), (x.detach(), y)):
    out = a.copysign(b)
    print(names(out.grad_fn), [n and type(n).__name__ for n, _ in out.grad_fn.next_functions])
    out.sum().backward()
    print(x.grad, y.grad)
    try:
        out.sum().backward()
    except RuntimeError as error:
        print(str(error).split("(")[0])
    x.grad = y.grad = None
    out = (a * 1).copysign(b * 1)
    (g,) = torch.autograd.grad(out.sum(), a if a.requires_grad else b, create_graph=True)
    print(g)
    out = (a * 1).copysign(b * 1)
    try:
        out.mul_(2)
        out.sum().backward()
        print(x.grad, y.grad)
    except RuntimeError as error:
        print(str(error).split(";")[0])
    x.grad = y.grad = None
