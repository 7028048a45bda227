import warnings

import torch

# What linearize computed of primals alone is a parameter of its program: it requires grad, but has no history.


def show(name, t):
    node = t.grad_fn
    behind = [None if n is None else type(n).__name__ for n, _ in node.next_functions] if node else None
    print(name, type(node).__name__, behind, t.requires_grad, t.stride(), t._version, (t * 64).round().tolist())


x = torch.tensor([[1.5, 0.5], [0.25, 2.0]])
h = x.clone().requires_grad_() * 1
FUNCTIONS = {
    "sin": lambda x: x.sin(),
    "x * x": lambda x: x * x,
    "x / (x + 3)": lambda x: x / (x + 3),
    "where": lambda x: torch.where(x > 1, x, x * 0.5),
    "max": lambda x: x.max(0)[0],
    "softmax": lambda x: x.softmax(0),
    "cumprod": lambda x: x.cumprod(0),
    "sum": lambda x: x.sum(0),
    "mean": lambda x: x.mean(),
    "x[0]": lambda x: x[0],
    "written": lambda x: x.clone().mul_(2).sin(),
}
for name, f in FUNCTIONS.items():
    for given in (h, x):
        with warnings.catch_warnings():  # of the program's form
            warnings.simplefilter("ignore")
            value, push = torch.func.linearize(f, given)
        print(torch.equal(value, f(given)))
        try:
            show(name, push(torch.ones(2, 2)))
        except RuntimeError as e:
            print(name, e)
