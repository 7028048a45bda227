"""What torch's dispatcher calls methods that write in place: errors inside transforms of torch.func name them.

A method has several forms, overloads, and which one is called depends on the arguments: `x.pow_(2)` is `pow_.Scalar`.
https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.torch.texts import tensor as tensor_texts
from funcgrad.torch.texts import transforms as texts


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BY_OPERAND = _names("__iand__ __ior__ __ixor__ __ilshift__ __irshift__ fill_")
FORMS: dict[str, Callable[[tuple, dict], str]] = {
    "bernoulli_": lambda args, named: ".Tensor" if tensors(args) else ".float",
    "masked_fill_": lambda args, named: ".Tensor" if tensors(args) > 1 else ".Scalar",
    "scatter_reduce_": lambda args, named: ".two",
}


def tensors(args: tuple) -> int:
    """How many arguments are tensors."""
    return sum([hasattr(a, "_value") for a in args])


def overload(name: str, args: tuple = (), named: dict[str, Any] | None = None) -> str:
    """The name of the form of a method that takes these arguments.

    Arguments:
        name: of the method, or if that is known already of the form.
        args, named: what it was called with.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.base.overloads import overload
        >>> overload("add_", (1,)), overload("pow_", (2,)), overload("sin_")
        ('add_.Tensor', 'pow_.Scalar', 'sin_')
    """
    named = named or {}
    if name in _BY_OPERAND:
        return f"{name}.Tensor" if tensors((*args, *named.values())) else f"{name}.Scalar"
    return name + FORMS[name](args, named) if name in FORMS else name


# What is said of a method that would write the results of a batch into a tensor which all examples share.

COMPUTED_FIRST, ARITHMETIC, OWN_NAME = "computed first", "arithmetic", "own name"
"""How a method computes, as far as that shows when torch refuses: elementwise, into a new tensor before it writes;
elementwise, where it writes at once; or by a rule that names the method itself."""

REFUSALS: dict[str, str] = {}
"""Which of these holds for a method that writes in place; filled by the rows of operations."""
REFUSALS |= dict.fromkeys(_names("__iand__ __ior__ __ixor__ __ilshift__ __irshift__"), COMPUTED_FIRST)
REFUSALS["copy_"] = ARITHMETIC
REFUSALS |= dict.fromkeys(_names("fill_ index_fill_ index_put_ index_add_ scatter_add_ scatter_reduce_"), OWN_NAME)


def too_small(name: str, x: Any, others: tuple, sizes: list[int]) -> str:
    """The text of the error, which depends on the method; none if its computation will raise another.

    Arguments:
        name: of the method or its form.
        x: the tensor that is written into.
        others: the other arguments.
        sizes: of the batches.
    """
    name = name.partition(".")[0]
    kind = REFUSALS.get(name)
    if kind == COMPUTED_FIRST:
        shapes = [t._value.shape for t in (x, *others) if hasattr(t, "_value")]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            return ""
        return tensor_texts.RESULT_SHAPE.format(shape=list(x._value.shape), broadcast=[*sizes, *shape])
    if kind == ARITHMETIC or (name == "masked_fill_" and not isinstance(getattr(others[1], "_value", None), Array)):
        return texts.TOO_SMALL.format(name="inplace arithmetic")
    if name == "bernoulli_":
        return texts.TOO_SMALL.format(name="inplace bernoulli")
    return texts.TOO_SMALL.format(name=name if kind == OWN_NAME else f"aten::{name}")
