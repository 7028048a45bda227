"""`swap_tensors`: two tensors that exchange all that they are but their identity."""

from __future__ import annotations

import copyreg
import weakref
from typing import Any

from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import tensor as texts


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchange the content of two tensors: whoever holds the one sees what the other was.

    Arguments:
        t1, t2: the tensors.

    Raises:
        RuntimeError: somebody refers to one of them in a way that would not notice.

    Example:
        >>> from funcgrad import torch
        >>> a, b = torch.ones(2), torch.zeros(3)
        >>> torch.utils.swap_tensors(a, b)
        >>> a
        tensor([0., 0., 0.])
    """
    first: Any = t1
    second: Any = t2
    for name, t in (("t1", first), ("t2", second)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = [set(copyreg._slotnames(type(t))) for t in (first, second)]  # type: ignore[attr-defined]  # typeshed leaves it out
    if slots[0] or slots[1]:  # tensors keep all they have in their dicts, so none has slots of its own
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for t in (first, second):
        node = t._accumulate() if t._accumulate is not None else None
        if node is not None:
            node.register_prehook(_refuse)
    first.__class__, second.__class__ = second.__class__, first.__class__
    first.__dict__, second.__dict__ = second.__dict__, first.__dict__


def _refuse(grad_outputs: Any) -> None:
    raise RuntimeError(texts.SWAPPED)
