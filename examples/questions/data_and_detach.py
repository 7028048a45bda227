"""What is the difference between .data and detach()?

    python -m doctest -v examples/questions/data_and_detach.py

Both share the memory of a tensor and cut its history. The difference shows when you write: `detach()` shares the
version counter as well, so `backward` notices that a value which it needs is gone.

>>> y = torch.tensor([0.0, 1.0], requires_grad=True).tanh()
>>> _ = y.detach().zero_()
>>> y._version
1
>>> y.sum().backward()  # doctest: +IGNORE_EXCEPTION_DETAIL
Traceback (most recent call last):
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation

With `.data` nobody notices, and the gradient is wrong: tanh' = 1 - y² is computed from the zeros. A copy is safe.

>>> torch_face([0.0, 1.0], lambda y: y.data)
[1.0, 1.0]
>>> torch_face([0.0, 1.0], lambda y: y.detach().clone())  # doctest: +ELLIPSIS
[1.0, 0.41997434161402...]

On the functional face arrays are immutable. An update is a new array, so the gradient is always right.

>>> functional_face([0.0, 1.0])  # doctest: +ELLIPSIS
[1.0, 0.41997434161402...]
>>> fg.vjp(np.tanh, np.zeros(2))[0].at[0].set(5.0).tolist()
[5.0, 0.0]

More: docs/torch/data-and-detach.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values, way):
    """The gradient of tanh, after zeros have been written to what a way past the graph gives.

    >>> torch_face([0.0], lambda y: y.data)
    [1.0]
    """
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    y = x.tanh()
    way(y).zero_()
    y.sum().backward()
    return x.grad.tolist()


def functional_face(values):
    """The same: the zeros are another array than the one that the derivative needs.

    >>> functional_face([0.0])
    [1.0]
    """
    y, pullback = fg.vjp(np.tanh, np.array(values))
    y = y.at[:].set(0.0)
    (gradient,) = pullback(np.ones_like(y))
    return gradient.tolist()


if __name__ == "__main__":
    print("the gradient of tanh at 0 and 1, after its result has been set to zero")
    print("torch face, .data   ", torch_face([0.0, 1.0], lambda y: y.data), "(wrong)")
    print("torch face, a copy  ", torch_face([0.0, 1.0], lambda y: y.detach().clone()))
    print("functional face     ", functional_face([0.0, 1.0]))
