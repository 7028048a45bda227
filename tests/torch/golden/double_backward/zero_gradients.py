"""A gradient that is zero whatever the gradient of the result is has no history; draws have such gradients, too."""

import torch

FUNCTIONS = {
    "power of zero": lambda x, y: x.pow(0),
    "power of zero in place": lambda x, y: x.pow_(0.0),
    "copy_": lambda x, y: x.copy_(y),
    "copy_ of a row": lambda x, y: x.copy_(y[0]),
    "copy_ into a part": lambda x, y: (x[0].copy_(y[1]), x)[1],
    "fill": lambda x, y: torch.fill(x, y[0, 0]),
    "fill_": lambda x, y: x.fill_(y[0, 0]),
    "copysign": lambda x, y: x.copysign(y),
    "copysign of a row": lambda x, y: x.copysign(y[0]),
    "bernoulli": lambda x, y: torch.bernoulli(x * 0),
    "normal": lambda x, y: torch.normal(x, y * 0),
    "poisson": lambda x, y: torch.poisson(x * 0),
}
for name, f in FUNCTIONS.items():
    x = torch.tensor([[0.5, -0.25], [1.0, 2.0]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[1.0, 2.0], [4.0, 8.0]], dtype=torch.float64, requires_grad=True)
    out = f(x * 1, y * 1)
    g = torch.autograd.grad((out * (out + 1)).sum(), [x, y], create_graph=True, allow_unused=True)
    for t in g:
        print(
            name, None if t is None else (t.abs().tolist(), t.requires_grad, t.stride(), t.grad_fn and t.grad_fn.name())
        )
