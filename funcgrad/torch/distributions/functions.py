"""What distributions are written with: the public functions of torch, which look at what a user's value is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch import linalg, special
from funcgrad.torch.autograd.backward import grad
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.meta import Size, contiguous_format
from funcgrad.torch.base.modes import enable_grad, no_grad
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.tensor.tensor import Tensor

__all__ = ["NUMBER", "F", "torch"]

F: Any = functional


class _Functions(SimpleNamespace):
    """The functions of torch, beside what it is made with; they are looked up anew, for a report puts others there."""

    def __getattr__(self, name: str) -> Any:
        try:
            return namespaces[""][name]
        except KeyError:
            raise AttributeError(name) from None


torch: Any = _Functions(
    Size=Size,
    Tensor=Tensor,
    bool=dtypes.bool_,
    contiguous_format=contiguous_format,
    double=dtypes.float64,
    enable_grad=enable_grad,
    finfo=dtypes.finfo,
    get_default_dtype=dtypes.get_default_dtype,
    grad=grad,
    linalg=linalg,
    long=dtypes.int64,
    no_grad=no_grad,
    special=special,
)
NUMBER = (int, float, bool)
"""What counts as a number among arguments."""


publish(__name__)
