"""Why must I detach before numpy()?

    python -m doctest -v examples/questions/detach_before_numpy.py

NumPy records nothing, so a gradient that went through an ndarray would lack a part, and nobody would notice. The torch
face therefore refuses to hand out the memory of a tensor that requires grad, and names the way out.

>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> x.numpy()
Traceback (most recent call last):
RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.
>>> x.detach().numpy()
array([1., 2.], dtype=float32)

What is computed from the ndarray is a constant to `backward`. The functional face has a word for that, and needs none
where nothing should be cut: NumPy's own functions are differentiated.

>>> torch_face([1.0, 2.0]) == functional_face([1.0, 2.0]) == [2.0, 16.0]
True
>>> fg.grad(lambda x: np.sum(np.square(x) ** 2))(np.array([1.0, 2.0])).tolist()
[4.0, 32.0]

More: docs/torch/detach-before-numpy.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values):
    """The gradient of y · y for y = x², where the second factor went through NumPy.

    >>> torch_face([3.0])
    [54.0]
    """
    x = torch.tensor(values, requires_grad=True)
    y = x**2
    through_numpy = torch.from_numpy(y.detach().numpy())
    (y * through_numpy).sum().backward()
    return x.grad.tolist()


def functional_face(values):
    """The same: what `stop_gradient` returns is a constant.

    >>> functional_face([3.0])
    [54.0]
    """

    def loss(x):
        y = x**2
        return np.sum(y * fg.stop_gradient(y))

    return fg.grad(loss)(np.array(values)).tolist()


if __name__ == "__main__":
    print("y · y with one factor cut off, at 1, 2, 3")
    print("torch face     ", torch_face([1.0, 2.0, 3.0]))
    print("functional face", functional_face([1.0, 2.0, 3.0]))
