"""The values that parameters start with."""

import warnings

import torch
from torch import nn
from torch.nn import init

warnings.simplefilter("always")


def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


def rounded(t):
    return [round(v, 4) for v in t.flatten().tolist()]


torch.manual_seed(0)
w = torch.empty(3, 4, requires_grad=True)
for f, kw in (
    (init.uniform_, {"a": -1.0, "b": 2.0}),
    (init.normal_, {"mean": 1.0, "std": 0.5}),
    (init.trunc_normal_, {}),
    (init.trunc_normal_, {"mean": 3.0, "std": 1.0, "a": -0.5, "b": 0.5}),
    (init.trunc_normal_, {"a": 0.9, "b": 1.1}),
    (init.xavier_uniform_, {"gain": 2.0}),
    (init.xavier_normal_, {}),
    (init.kaiming_uniform_, {"a": 1.0}),
    (init.kaiming_uniform_, {"mode": "fan_out", "nonlinearity": "relu"}),
    (init.kaiming_normal_, {"nonlinearity": "tanh"}),
    (init.orthogonal_, {"gain": 2.0}),
    (init.sparse_, {"sparsity": 0.5}),
    (init.constant_, {"val": 3.0}),
    (init.ones_, {}),
    (init.zeros_, {}),
    (init.eye_, {}),
):
    found = f(w, **kw)
    print(f.__name__, rounded(w), found is w, w.grad_fn, w._version)
init.trunc_normal_(torch.empty(200), a=-0.6, b=0.6)
print(rounded(torch.rand(1)))
g = torch.Generator().manual_seed(3)
print(rounded(init.normal_(torch.empty(2), generator=g)), rounded(init.orthogonal_(torch.empty(4, 2), generator=g)))
print(rounded(init.orthogonal_(torch.empty(2, 2, 2), generator=g)), init.orthogonal_(torch.empty(0, 2)).shape)
for shape in ((3, 2, 3), (2, 2, 1, 3), (2, 1, 1, 1, 1)):
    print(init.dirac_(torch.empty(shape)).tolist())
print(init.dirac_(torch.empty(4, 1, 1), groups=2).flatten().tolist())
for n in ("linear", "conv2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
    print(n, init.calculate_gain(n))
print(init.calculate_gain("leaky_relu", 0.5))
for f in (
    lambda: init.calculate_gain("leaky_relu", "x"),
    lambda: init.calculate_gain("leaky_relu", True),
    lambda: init.calculate_gain("other"),
    lambda: init.eye_(torch.empty(1)),
    lambda: init.dirac_(torch.empty(1)),
    lambda: init.dirac_(torch.empty(3, 1, 1), groups=2),
    lambda: init.xavier_uniform_(torch.empty(1)),
    lambda: init.kaiming_uniform_(torch.empty(1, 2), mode="fan"),
    lambda: init.orthogonal_(torch.empty(1)),
    lambda: init.sparse_(torch.empty(1), 0.1),
    lambda: init.kaiming_uniform_(torch.empty(0, 1)).shape,
    lambda: init.kaiming_normal_(torch.empty(0, 1)).shape,
    lambda: init._calculate_fan_in_and_fan_out(torch.empty(2, 3, 4, 5)),
):
    show(f)
for old in (
    "uniform",
    "normal",
    "eye",
    "xavier_uniform",
    "xavier_normal",
    "kaiming_uniform",
    "kaiming_normal",
    "orthogonal",
):
    print(getattr(init, old)(torch.empty(2, 2)).shape, getattr(init, old).__name__)
init.constant(torch.empty(1), 1.0)
init.sparse(torch.empty(2, 2), 0.5)
init.dirac(torch.empty(1, 1, 1))
torch.manual_seed(1)
print(rounded(nn.Linear(2, 2).weight), rounded(nn.Linear(2, 2).bias), rounded(nn.Bilinear(1, 2, 1).weight))
