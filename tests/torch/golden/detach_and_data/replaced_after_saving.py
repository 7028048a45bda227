"""What was saved is the tensor: a value that `.data = …` gives it later is what backward sees; results are not."""

import torch

FUNCTIONS = {
    "sin": lambda v: v.sin(),
    "digamma": lambda v: v.digamma(),
    "log": lambda v: v.log(),
    "product": lambda v: v * v,
    "cube": lambda v: v.pow(3),
    "quotient": lambda v: v / (v + 1),
    "cumprod": lambda v: v.cumprod(0),
    "norm": lambda v: v.norm(),
    "std": lambda v: v.std(),
    "exp": lambda v: v.exp(),
    "tanh": lambda v: v.tanh(),
    "atan2": lambda v: v.atan2(v + 1),
    "maximum": lambda v: v.maximum(v * 0.5),
    "clamp": lambda v: v.clamp(min=0.6),
    "dot": lambda v: v @ v,
    "hypot": lambda v: v.hypot(v),
    "addcdiv": lambda v: v.addcdiv(v, v),
    "logcumsumexp": lambda v: v.logcumsumexp(0),
}


def replaced(v):
    v.data = v * 2


def replaced_twice(v):
    v.data = v.detach() * 3
    v.data = v.detach() * 2


def written(v):
    v.data.mul_(2)


def replaced_and_written(v):
    v.data = v * 2
    v.add_(1)


for name, f in FUNCTIONS.items():
    for change in (replaced, replaced_twice, written, replaced_and_written):
        x = torch.tensor([0.3, 0.2, 0.4], dtype=torch.float64, requires_grad=True)
        v = x * 1
        y = f(v)
        try:
            change(v)
            y.sum().backward()
            print(name, change.__name__, v._version, [f"{g:.6f}" for g in x.grad.tolist()])
        except RuntimeError as error:
            print(name, change.__name__, v._version, str(error).split(";")[0])

# A loop that replaces its parameter.
w = torch.tensor([1.0, 2.0], requires_grad=True)
for _ in range(3):
    (w * w * w).sum().backward()
    w.data = w.data - 0.1 * w.grad
    w.grad = None
    print([f"{e:.5f}" for e in w.tolist()], w._version)
