import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
for f in (
    lambda x: x * x, torch.exp, torch.sin, torch.tanh, torch.log, torch.sqrt, torch.sigmoid, lambda x: 1 / x,
    lambda x: x / (x + 1), lambda x: x**2, lambda x: x**x, torch.relu, lambda x: x.sum() ** 2, lambda x: x.prod(),
    lambda x: x.norm(), lambda x: x.view(2, 1) @ x.view(1, 2), lambda x: x[0] * x,
    lambda x: x.logsumexp(0), lambda x: x.var(),
):  # fmt: skip
    y = f(x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    print(y.grad_fn.next_functions[0][0].name(), g.grad_fn.name() if g.requires_grad else None, g.requires_grad)
