"""Objects that are no tensors and take part in torch's functions all the same: their class has `__torch_function__`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import arguments as texts


def overriding(arguments: Iterable[Any]) -> list[Any]:
    """Those of the arguments, and of what tuples and lists among them hold, whose class says what functions do.

    One of each class, a subclass before the class that it is of.
    """
    found: list[Any] = []
    for argument in arguments:
        for x in argument if type(argument) in (tuple, list) else (argument,):
            if isinstance(x, Tensor) or not hasattr(type(x), "__torch_function__"):
                continue
            if all(type(x) is not type(y) for y in found):
                after = [i for i, y in enumerate(found) if issubclass(type(x), type(y))]
                found.insert(after[0] if after else len(found), x)
    return found


def call_overriding(function: Callable, name: str, found: list[Any], args: tuple, kwargs: dict[str, Any]) -> Any:
    """What the first of them that can says that the function gives.

    Raises:
        TypeError: none of them can.
    """
    types = tuple([type(x) for x in found])
    for x in found:
        result = type(x).__torch_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    classes = "\n".join([f"  - tensor subclass {kind}" for kind in types])
    raise TypeError(texts.NO_OVERRIDE.format(name=name, classes=classes))
