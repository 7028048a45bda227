# Every activation function: values, slopes and second derivatives by element, and the names of nodes.
import torch
from torch.nn import functional as F

x0 = torch.tensor([-4.0, -3.0, -1.5, -0.5, -0.25, 0.25, 0.5, 1.5, 3.0, 4.0, 25.0, -150.0])
functions = {
    "relu": F.relu, "relu6": F.relu6, "hardtanh": lambda x: F.hardtanh(x, -0.75, 2.0), "sigmoid": F.sigmoid,
    "hardsigmoid": F.hardsigmoid, "tanh": F.tanh, "silu": F.silu, "mish": F.mish, "hardswish": F.hardswish,
    "elu": lambda x: F.elu(x, 1.5), "celu": lambda x: F.celu(x, 0.75), "selu": F.selu, "glu": F.glu, "gelu": F.gelu,
    "gelu by tanh": lambda x: F.gelu(x, approximate="tanh"), "hardshrink": F.hardshrink, "leaky_relu": F.leaky_relu,
    "logsigmoid": F.logsigmoid, "softplus": lambda x: F.softplus(x, 2, 5), "softshrink": F.softshrink,
    "prelu": lambda x: F.prelu(x, torch.tensor([0.25])), "softsign": F.softsign, "tanhshrink": F.tanhshrink,
    "threshold": lambda x: F.threshold(x, 0.5, 2.0), "rrelu": F.rrelu,
}  # fmt: skip


def rounded(t):
    return [round(v, 3) + 0.0 for v in t.tolist()]


def named(node):
    return (
        type(node).__name__
        + "("
        + ", ".join("-" if n is None else type(n).__name__ for n, _ in node.next_functions)
        + ")"
    )


for name, f in functions.items():
    x = x0.double().requires_grad_()
    y = f(x)
    w = torch.ones_like(y).requires_grad_()
    (g,) = torch.autograd.grad(y, x, w, create_graph=True)
    print(name, named(y.grad_fn), named(g.grad_fn))
    print("  ", rounded(y))
    print("  ", rounded(g))
    try:
        (h,) = torch.autograd.grad(g.sum(), x)
        print("  ", rounded(h))
    except RuntimeError as e:
        print("  ", e)
    saved = [n for n in dir(y.grad_fn) if n.startswith("_saved") and n not in ("_saved_buffer", "_saved_dim")]
    print("  ", {n: v for n in saved for v in [getattr(y.grad_fn, n)] if not isinstance(v, torch.Tensor)})
