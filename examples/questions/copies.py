"""Why has new_tensor(x, requires_grad=True) no history?

    python -m doctest -v examples/questions/copies.py

`new_tensor` and `torch.tensor` read values, as they would read a list. The copy is a leaf of its own: the gradient
stays with it, and `x` never hears of it. `clone()` is an operation, and keeps the history.

>>> torch_face("new_tensor")
{'x.grad': None, 'y.grad': [3.0, 3.0]}
>>> torch_face("clone")
{'x.grad': [3.0, 3.0], 'y.grad': None}

On the functional face nobody needs a copy for safety's sake. Which gradient is meant is said by the function that is
differentiated: that of y alone, or that of x which makes y.

>>> functional_face(of="y"), functional_face(of="x")
([3.0, 3.0], [3.0, 3.0])

More: docs/torch/copies.md
"""

import warnings

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(way):
    """Where the gradient of 3y arrives if y is a copy of x, made in one of two ways.

    >>> torch_face("new_tensor")["x.grad"] is None
    True
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # new_tensor advises detach().clone(), and y.grad says why it is None
        y = x.clone() if way == "clone" else x.new_tensor(x, requires_grad=True)
        (y * 3).sum().backward()
        return {f"{name}.grad": None if t.grad is None else t.grad.tolist() for name, t in (("x", x), ("y", y))}


def functional_face(of):
    """The gradient of 3y with respect to y, or to the x that y is copied from.

    >>> functional_face(of="x")
    [3.0, 3.0]
    """
    loss = lambda y: np.sum(y * 3)  # noqa: E731  (a formula, which the question is about)
    x = np.array([1.0, 2.0])
    return fg.grad(loss if of == "y" else lambda x: loss(np.copy(x)))(x).tolist()


if __name__ == "__main__":
    print("the gradient of 3y, where y is a copy of x")
    for way in ("new_tensor", "clone"):
        print(f"torch face, {way:<10}", torch_face(way))
    for of in ("y", "x"):
        print(f"functional face, by {of}  ", functional_face(of))
