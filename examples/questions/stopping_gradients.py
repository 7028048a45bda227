"""How do I stop a gradient?

    python -m doctest -v examples/questions/stopping_gradients.py

The gradient of x² + 2x² is 6x. A cut in the second term leaves that of the first, 2x.

>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> y1 = x**2
>>> y2 = y1.detach() * 2
>>> y1.requires_grad, y2.requires_grad, (y1 + y2).requires_grad
(True, False, True)

`detach()` is about a value, wherever it goes on to. `no_grad` is about a stretch of code, in which nothing is recorded.
The functional face has one word, about a value.

>>> torch_face([1.0, 2.0], "nowhere"), functional_face([1.0, 2.0], lambda y: y)
([6.0, 12.0], [6.0, 12.0])
>>> torch_face([1.0, 2.0], "detach"), functional_face([1.0, 2.0], fg.stop_gradient)
([2.0, 4.0], [2.0, 4.0])
>>> torch_face([1.0, 2.0], "no_grad")
[2.0, 4.0]

More: docs/torch/stopping-gradients.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values, cut):
    """The gradient of x² + 2x², with the second term cut off by `detach`, by `no_grad`, or nowhere.

    >>> torch_face([5.0], "nowhere")
    [30.0]
    """
    x = torch.tensor(values, requires_grad=True)
    y1 = x**2
    if cut == "no_grad":
        with torch.no_grad():
            y2 = y1 * 2
    else:
        y2 = (y1.detach() if cut == "detach" else y1) * 2
    (y1 + y2).sum().backward()
    return x.grad.tolist()


def functional_face(values, cut):
    """The same, with the function that is applied to the second term.

    >>> functional_face([5.0], fg.stop_gradient)
    [10.0]
    """

    def loss(x):
        y1 = x**2
        y2 = cut(y1) * 2
        return np.sum(y1 + y2)

    return fg.grad(loss)(np.array(values)).tolist()


if __name__ == "__main__":
    print("x² + 2x² at 1 and 2, whole and with the second term cut off")
    print("torch face     ", *[torch_face([1.0, 2.0], cut) for cut in ("nowhere", "detach", "no_grad")])
    print("functional face", *[functional_face([1.0, 2.0], cut) for cut in (lambda y: y, fg.stop_gradient)])
