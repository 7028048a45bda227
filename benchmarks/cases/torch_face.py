"""The torch face against torch itself: the same lines with one module and with the other."""

from importlib import import_module

import numpy as np
from timing import Case

STEPS = 300
X = np.linspace(0.5, 1.5, 10)


def chain(module):
    def make():
        torch = import_module(module)
        x0 = torch.tensor(X, requires_grad=True)

        def gradient():
            x = x0
            for _ in range(STEPS):
                x = torch.sin(x) * x
            x0.grad = None
            x.sum().backward()
            return x0.grad

        return gradient

    return make


CASES = [
    Case(
        name="torch_face",
        title="funcgrad.torch: 300 times x = sin(x) * x, 10 elements, forward and backward()",
        versions={"funcgrad": chain("funcgrad.torch"), "torch": chain("torch")},
        targets={"torch": 0.5},
        operations=2 * STEPS + 1,
    )
]
