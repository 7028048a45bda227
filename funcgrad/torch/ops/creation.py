"""Making tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch import dtypes
from funcgrad.torch.declare import function
from funcgrad.torch.operation import new, wrapped
from funcgrad.torch.tensor import Tensor


@function(method=False)
def tensor(data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:  # fmt: skip  # noqa: E501
    """A new tensor with a copy of data."""
    value = np.array(data)
    if dtype is not None:
        value = value.astype(dtype.numpy)
    elif value.dtype == np.float64 and not isinstance(data, np.ndarray):
        value = value.astype(dtypes.get_default_dtype().numpy)
    t = wrapped(value)
    if requires_grad:
        if t._value.dtype.kind in "iub":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t._requires = True
    return t


def legacy_constructor(cls: type, dtype: Any, args: tuple, kwargs: dict) -> Any:
    """`torch.Tensor(2, 3)`, `torch.Tensor([2, 3])`."""
    t = new(cls)
    t._value = np.array(args[0], dtype=np.float32)
    return t


@function(method=False)
def from_numpy(array: Any) -> Tensor:
    """A tensor on the memory of an ndarray."""
    return wrapped(array)
