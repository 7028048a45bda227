"""When are two tensors the same?

    python -m doctest -v examples/questions/identity_and_storage.py

An object, its memory and its history are three things. `detach()` and `.data` make a new object at every call, on the
same memory, without the history. A view has the memory, and a history of its own.

>>> x = torch.tensor([1.0, 2.0], requires_grad=True)
>>> y = x * 2
>>> y is y.detach(), y.data_ptr() == y.detach().data_ptr(), y.detach().grad_fn
(False, True, None)
>>> y.view(2)._base is y, y.view(2).grad_fn.name()
(True, 'ViewBackward0')

So a write through one shows in all:

>>> torch_face([1.0, 2.0])
[7.0, 7.0]

On the functional face arrays are values: no operation changes one behind another's back, nor the caller's own.

>>> functional_face([1.0, 2.0])
[1.0, 2.0]

More: docs/torch/identity-and-storage.md
"""

import numpy as np

import funcgrad as fg
from funcgrad import torch


def torch_face(values):
    """What is left of a tensor's values after a write to what `detach()` gave.

    >>> torch_face([0.0])
    [7.0]
    """
    x = torch.tensor(values, requires_grad=True)
    x.detach().fill_(7)
    return x.tolist()


def functional_face(values):
    """What is left of an Array's values after a write to what it was made from.

    >>> functional_face([0.0])
    [0.0]
    """
    mine = np.array(values)
    x = fg.Array(mine)
    mine[:] = 7
    return x.tolist()


if __name__ == "__main__":
    print("the values (1, 2) after a write of 7 to what shares, or seems to share, their memory")
    print("torch face     ", torch_face([1.0, 2.0]))
    print("functional face", functional_face([1.0, 2.0]))
