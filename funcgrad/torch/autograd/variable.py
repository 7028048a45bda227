"""`Variable`, torch's name of Tensor before the two were one."""

from __future__ import annotations

from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.autograd.run_walk import queue_callback
from funcgrad.torch.ops.creation import empty
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import graph as texts

__all__ = [
    "Variable",
]


class _VariableMeta(type):
    def __instancecheck__(cls, other: object) -> bool:
        return isinstance(other, Tensor)

    def __call__(cls, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Tensor:
        if data is None:
            data = empty((0,))
        if not isinstance(data, Tensor):
            raise TypeError(texts.DATA_NO_TENSOR.format(kind=type(data).__name__))
        t = data.detach()
        t.requires_grad_(requires_grad)
        return t


class ImperativeEngine:
    """The walk, as torch names it: `Variable._execution_engine`."""

    def queue_callback(self, callback: Any) -> None:
        """Call `callback` when the backward walk that is running has ended."""
        queue_callback(callback)


class Variable(metaclass=_VariableMeta):
    """`Variable(data, requires_grad=False)` is a Tensor on data's memory; use tensors themselves."""

    _execution_engine = ImperativeEngine()


publish(__name__)
