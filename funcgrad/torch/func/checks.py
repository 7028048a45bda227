"""What the transforms of torch.func say of arguments and results that they refuse."""

from __future__ import annotations

from typing import Any

from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import transforms as texts


def picked(args: tuple, argnums: Any) -> tuple[int, ...]:
    """The positions that are differentiated, counted from the front."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = tuple([_position(n, len(args)) for n in ((argnums,) if isinstance(argnums, int) else argnums)])
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {found}")
    return found


def _position(n: Any, count: int) -> int:
    if not isinstance(n, int):
        raise RuntimeError(f"argnum must be int, got: {type(n)}")
    if not -count <= n < count:
        raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
    return n % count


def checked_primals(leaves: list) -> list:
    """The leaves of what a gradient is taken with respect to.

    Raises:
        ValueError: one is no tensor.
        RuntimeError: one is neither floating nor complex.
    """
    for x in leaves:
        if not isinstance(x, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(x)}")
        if x._value.dtype.kind in "iub":
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
    return leaves


def check_output(leaves: list, name: str) -> None:
    """Raise torch's error if the leaves of what a function returned can't be differentiated."""
    if not leaves or leaves == [None]:
        raise RuntimeError(texts.NO_OUTPUT.format(name=name, leaves=leaves))
    for o in leaves:
        if not isinstance(o, Tensor):
            raise RuntimeError(texts.OUTPUT_NO_TENSOR.format(name=name, kind=type(o)))


def with_aux(out: Any, name: str) -> tuple:
    """The pair (result, aux) that a function returned.

    Raises:
        RuntimeError: it is none.
    """
    if not isinstance(out, tuple) or len(out) != 2:
        raise RuntimeError(texts.NO_AUX.format(name=name))
    return out


def check_aux(leaves: list) -> None:
    """Raise torch's error if there is anything but tensors in the aux that a function returned."""
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(x)}")
