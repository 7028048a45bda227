"""Why does backward() want a scalar?

    python -m doctest -v examples/questions/non_scalar_backward.py

The derivative of four numbers by four numbers is a Jacobian J of sixteen. `backward` never builds it: it computes the
product vᵀJ, at about the cost of the function itself. For a scalar v is 1; for other results you have to say which.

>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> (x**2).backward()
Traceback (most recent call last):
RuntimeError: grad can be implicitly created only for scalar outputs
>>> torch_face([1.0, 2.0], [1.0, 10.0]) == functional_face([1.0, 2.0], [1.0, 10.0]) == [2.0, 40.0]
True

The functional face says the same with two functions: `grad` for scalars, `vjp` for products; and `jacrev` builds J.

>>> fg.jacrev(np.square)(np.array([1.0, 2.0])).tolist()
[[2.0, 0.0], [0.0, 4.0]]
>>> fg.grad(np.square)(np.array([1.0, 2.0]))  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
funcgrad.errors.ShapeError: Gradient only defined for scalar-output functions.

More: docs/torch/non-scalar-backward.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values, v):
    """The product of v and the Jacobian of x².

    >>> torch_face([3.0], [1.0])
    [6.0]
    """
    x = torch.tensor(values, requires_grad=True)
    (x**2).backward(torch.tensor(v))
    return x.grad.tolist()


def functional_face(values, v):
    """The same.

    >>> functional_face([3.0], [1.0])
    [6.0]
    """
    _, pullback = fg.vjp(np.square, np.array(values))
    (product,) = pullback(np.array(v))
    return product.tolist()


if __name__ == "__main__":
    print("the product of (1, 10) and the Jacobian of x² at (1, 2)")
    print("torch face     ", torch_face([1.0, 2.0], [1.0, 10.0]))
    print("functional face", functional_face([1.0, 2.0], [1.0, 10.0]))
