"""What does backward() compute?

    python -m doctest -v examples/questions/what_backward_computes.py

Each operation on a tensor that requires grad leaves a node: what was done, and the values that its derivative needs.

>>> w = torch.tensor([1.0, -2.0], requires_grad=True)
>>> y = torch.tensor([1.0, 2.0]) @ w
>>> z = y**2
>>> z.grad_fn.name(), z.grad_fn._saved_self.item()
('PowBackward0', -3.0)
>>> z.grad_fn.next_functions[0][0].name()
'DotBackward0'

`backward` walks the nodes from the result to the leaves and multiplies by each derivative, here 2y and then x: the
chain rule. On the functional face the nodes are the tape of the pullback, and the gradient is returned, not stored.

>>> torch_face([1.0, -2.0]) == functional_face([1.0, -2.0]) == [-6.0, -12.0]
True
>>> _, pullback = fg.vjp(loss, np.array([1.0, -2.0]))
>>> [str(e.primitive.name) for e in pullback.tape.equations]
['matmul', 'square']

More: docs/torch/what-backward-computes.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch

X = [1.0, 2.0]


def torch_face(weights):
    """The gradient of (x · w)² with respect to w, left in `w.grad`.

    >>> torch_face([0.0, 1.0])
    [4.0, 8.0]
    """
    w = torch.tensor(weights, requires_grad=True)
    ((torch.tensor(X) @ w) ** 2).backward()
    return w.grad.tolist()


def loss(w):
    """(x · w)² in plain NumPy.

    >>> loss(np.array([0.0, 1.0])).item()
    4.0
    """
    return np.square(np.array(X) @ w)


def functional_face(weights):
    """The same gradient, as the value of a function.

    >>> functional_face([0.0, 1.0])
    [4.0, 8.0]
    """
    return fg.grad(loss)(np.array(weights)).tolist()


if __name__ == "__main__":
    print("the gradient of (x · w)² at w = (1, -2)")
    print("torch face     ", torch_face([1.0, -2.0]))
    print("functional face", functional_face([1.0, -2.0]))
