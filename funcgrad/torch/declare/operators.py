"""Python's operators on tensors: `x + y`, `2 - x`, `x += y`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.tensor.members import add_member
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS

_SIMPLE = frozenset((Tensor, float, int))
"""The classes of the commonest operands."""


def operator(
    symbol: str, call: Callable, *, reflected: Callable | None = None, inplace: Callable | None = None
) -> None:
    """Install `x + y` and its kin: `symbol` is "add" for __add__, __radd__ and __iadd__.

    Operands that are neither tensors nor numbers are left to their own class, and then to Python's TypeError.

    Arguments:
        call: gives x + y for a tensor x.
        reflected: gives y + x for a tensor x and a number y, called with x first.
        inplace: `x.add_(y)`.
    """
    for prefix, f in (("", call), ("r", reflected), ("i", inplace)):
        if f is not None:
            add_member(Tensor, f"__{prefix}{symbol}__", _left_to_others(f, f"__{prefix}{symbol}__"))


def _left_to_others(f: Callable, name: str) -> Callable:
    def method(self: Any, other: Any) -> Any:
        if type(other) in _SIMPLE or isinstance(other, (Tensor, *NUMBERS)):
            return f(self, other)
        return NotImplemented

    method.__name__ = method.__qualname__ = name
    return method
