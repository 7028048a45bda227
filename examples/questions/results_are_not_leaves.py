"""Is randn(2, 2, requires_grad=True) + 2 a leaf?

    python -m doctest -v examples/questions/results_are_not_leaves.py

No: `requires_grad=True` belongs to what `randn` made. The sum is a result, and the leaf behind it has no name.

>>> w = torch.randn(2, 2, requires_grad=True) + 2
>>> w.is_leaf, w.requires_grad
(False, True)

Compute the start value first, and declare it then.

>>> w = (torch.randn(2, 2) + 2).requires_grad_()
>>> w.is_leaf
True

On the functional face a start value is an array, however it was computed. It becomes a variable by being an argument.

>>> torch_face(3.0) == functional_face(3.0) == [6.0, 6.0]
True

More: docs/torch/results-are-not-leaves.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(start):
    """The gradient of w², where w is declared after it has been computed.

    >>> torch_face(5.0)
    [10.0, 10.0]
    """
    w = (torch.ones(2) * start).requires_grad_()
    (w**2).sum().backward()
    return w.grad.tolist()


def functional_face(start):
    """The same.

    >>> functional_face(5.0)
    [10.0, 10.0]
    """
    w = np.ones(2) * start
    return fg.grad(lambda w: np.sum(w**2))(w).tolist()


if __name__ == "__main__":
    print("the gradient of w², for a start value that is a result")
    print("torch face     ", torch_face(3.0))
    print("functional face", functional_face(3.0))
