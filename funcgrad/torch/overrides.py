"""`torch.overrides`: whether a function is to be left to the class of one of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.declare.overrides import call_overriding, overriding
from funcgrad.torch.tensor.tensor import Tensor

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
]


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether the class of one of them has `__torch_function__`, and is no class of tensors."""
    return bool(overriding(relevant_args))


def has_torch_function_unary(arg: Any) -> bool:
    """As `has_torch_function`, of one argument."""
    return bool(overriding((arg,)))


def has_torch_function_variadic(*args: Any) -> bool:
    """As `has_torch_function`."""
    return bool(overriding(args))


def handle_torch_function(public_api: Callable, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the classes of the arguments say that a function gives.

    Raises:
        TypeError: none of them says so.
    """
    name = f"{public_api.__module__}.{public_api.__name__}"
    return call_overriding(public_api, name, overriding(relevant_args), args, kwargs)


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or has `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


publish(__name__)
