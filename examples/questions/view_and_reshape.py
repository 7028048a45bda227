"""Why does view fail on a transposed tensor?

    python -m doctest -v examples/questions/view_and_reshape.py

A tensor is a run of memory and a stride for each dimension. `t()` swaps the strides and leaves the memory alone. Read
row by row, the elements then lie at the places 0, 3, 1, 4, 2, 5, and no single stride walks that way.

>>> x = torch.arange(6.0).reshape(2, 3)
>>> x.stride(), x.t().stride()
((3, 1), (1, 3))
>>> x.t().view(6)  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
RuntimeError: view size is not compatible with input tensor's size and stride
>>> x.t().reshape(6).tolist()
[0.0, 3.0, 1.0, 4.0, 2.0, 5.0]

`view` never copies; `reshape` copies where it must. The gradient is the same. On the functional face arrays are
immutable, so it can't be seen whether memory is shared, and there is `reshape` alone.

>>> torch_face() == functional_face() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]
True

More: docs/torch/view-and-reshape.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face():
    """The gradient of the elements of a transposed matrix, weighted by their places.

    >>> torch_face()[1]
    [1.0, 3.0, 5.0]
    """
    x = torch.ones(2, 3, requires_grad=True)
    (x.t().reshape(6) * torch.arange(6.0)).sum().backward()
    return x.grad.tolist()


def functional_face():
    """The same.

    >>> functional_face()[1]
    [1.0, 3.0, 5.0]
    """
    return fg.grad(lambda x: np.sum(x.T.reshape(6) * np.arange(6.0)))(np.ones((2, 3))).tolist()


if __name__ == "__main__":
    print("the gradient of the elements of a transposed 2x3 matrix, weighted by their places")
    print("torch face     ", torch_face())
    print("functional face", functional_face())
