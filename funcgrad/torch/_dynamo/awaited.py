"""Numbers that a function takes out of tensors by `item()`, to return them: they are known when its program has run."""

from __future__ import annotations

from typing import Any

from funcgrad.torch._dynamo.exc import Unsupported
from funcgrad.torch.texts import compilation as texts


class Awaited:
    """Stands for the number in a tensor. It can be returned, and nothing else.

    Arguments:
        tensor: of one element; what is written into it later does not change the number.
    """

    __slots__ = ("tensor",)
    __hash__ = None  # type: ignore[assignment]  # it is not known which number it is

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor.detach().clone()


def _unknown(self: Awaited, *others: Any) -> Any:
    raise Unsupported(texts.ITEM)


for _name in (
    "abs", "add", "bool", "ceil", "complex", "eq", "float", "floor", "floordiv", "format", "ge", "gt", "index", "int",
    "le", "lt", "mod", "mul", "ne", "neg", "pos", "pow", "radd", "repr", "rfloordiv", "rmod", "rmul", "round", "rpow",
    "rsub", "rtruediv", "str", "sub", "truediv", "trunc",
):  # fmt: skip
    setattr(Awaited, f"__{_name}__", _unknown)
