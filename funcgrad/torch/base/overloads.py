"""What torch's dispatcher calls methods that write in place: errors inside transforms of torch.func name them.

A method has several forms, overloads, and which one is called depends on the arguments: `x.pow_(2)` is `pow_.Scalar`.
https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.texts import tensor as tensor_texts
from funcgrad.torch.texts import transforms as texts

_FORMS: dict[str, Callable[[tuple, dict], str]] = {}
"""The name of the form for args and kwargs, by method."""

COMPUTED_FIRST, ARITHMETIC, BERNOULLI, OWN_NAME = (
    "computed first",
    "inplace arithmetic",
    "inplace bernoulli",
    "own name",
)
"""How a method computes, as far as that shows when vmap refuses to write the results of a batch into a tensor which all
examples share: elementwise, into a new tensor before it writes; by a rule of its own; or as torch calls it there."""

REFUSALS: dict[str, str | Callable[[tuple], str]] = {}
"""Which of these holds for a method, perhaps depending on its other arguments."""


def say(name: str, form: str | Callable[[tuple, dict], str], refusal: str | Callable[[tuple], str]) -> None:
    """Say how the dispatcher calls a method that writes in place, and how it computes; the rows of operations do.

    Arguments:
        name: of the method.
        form: ".Tensor", or with a bar ".Tensor|.Scalar": the first if one of the arguments is a tensor; or a function
            of args and kwargs; "" if it has one form only.
        refusal: one of the words above, or a function of the other arguments that gives one.
    """
    if callable(form):
        _FORMS[name] = form
    elif form:
        with_tensor, bar, without = form.partition("|")
        _FORMS[name] = lambda args, named: with_tensor if not bar or tensors((*args, *named.values())) else without
    if refusal:
        REFUSALS[name] = name if refusal == OWN_NAME else refusal


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
    return name + _FORMS[name](args, named or {}) if name in _FORMS else name


def too_small(name: str, x: Any, others: tuple, sizes: list[int]) -> str:
    """The text of the error, which depends on the method; none if its computation will raise another.

    Arguments:
        name: of the method or its form.
        x: the tensor that is written into.
        others: the other arguments.
        sizes: of the batches.
    """
    name = name.partition(".")[0]
    kind = REFUSALS.get(name, f"aten::{name}")
    kind = kind(others) if callable(kind) else kind
    if kind == COMPUTED_FIRST:
        shapes = [t._value.shape for t in (x, *others) if hasattr(t, "_value")]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            return ""
        return tensor_texts.RESULT_SHAPE.format(shape=list(x._value.shape), broadcast=[*sizes, *shape])
    return texts.TOO_SMALL.format(name=kind)
