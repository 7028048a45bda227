"""What is a leaf, and why is my .grad None?

    python -m doctest -v examples/questions/leaves.py

NumPy's floats have 64 bits, so `.float()` is an operation, and its result is no leaf: gradients are kept for tensors
that no operation made. The leaf is the float64 tensor in front of it, which has no name here.

>>> x = torch.tensor(np.array([1.0, 1.0]), requires_grad=True).float()
>>> x.is_leaf, x.grad_fn.name()
(False, 'ToCopyBackward0')

Convert first and ask for gradients then, or keep the gradient of a result with `retain_grad()`.

>>> torch_face(np.array([1.0, 1.0])) == functional_face(np.array([1.0, 1.0])) == [3.0, 3.0]
True

On the functional face there are no leaves: the arguments are what is differentiated, and the gradient has their dtype,
however the function converts them inside.

>>> fg.grad(lambda x: np.sum(x.astype("float32") * 3))(np.array([1.0, 1.0])).dtype
dtype('float64')

More: docs/torch/leaves.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values):
    """The gradient of 3x, for a leaf of 32 bits.

    >>> torch_face(np.array([2.0]))
    [3.0]
    """
    x = torch.tensor(values, dtype=torch.float32, requires_grad=True)
    (x * 3).sum().backward()
    return x.grad.tolist()


def functional_face(values):
    """The same, with the conversion inside.

    >>> functional_face(np.array([2.0]))
    [3.0]
    """
    return fg.grad(lambda x: np.sum(x.astype("float32") * 3))(values).tolist()


if __name__ == "__main__":
    print("the gradient of 3x, computed with 32 bits from an array of 64")
    print("torch face     ", torch_face(np.array([1.0, 1.0])))
    print("functional face", functional_face(np.array([1.0, 1.0])))
