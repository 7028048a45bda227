"""`torch.explain`: why a gradient is None, where it was cut off, and what to change, in words and with the line.

What it says comes of the graph and of the journal (`funcgrad/torch/tensor/journal.py`).
"""

from __future__ import annotations

import sys
from typing import Any

from funcgrad.torch.explanations.errors import explain_error
from funcgrad.torch.explanations.explanation import Explanation as Explanation
from funcgrad.torch.explanations.modules import explain_module
from funcgrad.torch.explanations.names import name_of
from funcgrad.torch.explanations.tensors import explain_pair, explain_tensor
from funcgrad.torch.tensor.tensor import Tensor


def explain(x: Any = None, loss: Any = None) -> Explanation:
    """Say in words what becomes of the gradient of a tensor, in which lines, and what to change.

    Arguments:
        x: a tensor: whether it is a leaf and requires grad, because of which line, and if backward fills .grad.
            A module: the same for those of its parameters that get no gradient. Without arguments the error is
            explained that is being handled, or that came last in an interactive session, or about gradients.
        loss: a tensor: the paths from x to it, and the lines where they are cut; what backward would find changed; the
            bytes that the graph keeps.

    Returns:
        An `Explanation`: printed it is the text; its fields say the same.

    Raises:
        TypeError: x is neither a tensor nor a module, or the loss is no tensor.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> loss = (x.detach() ** 2).sum()
        >>> torch.explain(x, loss).cuts[0].what
        'detach()'
    """
    if x is None and loss is None:
        return explain_error()
    frame = sys._getframe(1)
    if loss is not None and not isinstance(loss, Tensor):
        raise TypeError(f"explain takes a tensor as the loss, got {type(loss).__name__}")
    loss_name = "" if loss is None else name_of(loss, frame, "the result")
    if hasattr(x, "named_parameters") and not isinstance(x, type):
        return explain_module(x, name_of(x, frame, "the module"), loss, loss_name)
    if not isinstance(x, Tensor):
        raise TypeError(f"explain takes a tensor or a module, got {type(x).__name__}")
    name = name_of(x, frame, "the tensor")
    return explain_tensor(x, name) if loss is None else explain_pair(x, loss, name, loss_name)
