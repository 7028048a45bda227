"""`torch._check` and its kin: raise an error unless a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.dtypes import bool_
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import arguments as texts

Message = Callable[[], Any] | None


def _check_with(error_type: type[Exception], cond: bool, message: Message = None) -> None:
    """Raise an error of a type unless the condition holds; `message` gives its text."""
    if isinstance(cond, Tensor):
        raise TypeError(texts.CONDITION_IS_TENSOR)
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type(texts.CONDITION_FAILED)
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: bool, message: Message = None) -> None:
    """Raise RuntimeError unless the condition holds."""
    _check_with(RuntimeError, cond, message)


def _check_index(cond: bool, message: Message = None) -> None:
    """Raise IndexError unless the condition holds."""
    _check_with(IndexError, cond, message)


def _check_value(cond: bool, message: Message = None) -> None:
    """Raise ValueError unless the condition holds."""
    _check_with(ValueError, cond, message)


def _check_type(cond: bool, message: Message = None) -> None:
    """Raise TypeError unless the condition holds."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: bool, message: Message = None) -> None:
    """Raise NotImplementedError unless the condition holds."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all(cond: Tensor, message: Message = None) -> None:
    """Raise RuntimeError unless all elements of a tensor of bools are true."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(RuntimeError, bool(cond.all().item()), message)
