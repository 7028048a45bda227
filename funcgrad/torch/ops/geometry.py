"""Sizes, strides and dimensions: what callers may give, and how memory is seen in another shape."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.storage import UntypedStorage, pointer, without_elements
from funcgrad.torch.declare.arguments import type_name, warn_native
from funcgrad.torch.tensor.tensor import Tensor, contiguous_strides, wrap_dim
from funcgrad.torch.texts import arguments as argument_texts
from funcgrad.torch.texts import shapes as texts

# Arguments.


def given_tensors(given: tuple) -> tuple[Tensor, ...]:
    """The tensors of f(x, y) or f([x, y]).

    Raises:
        TypeError: one is no tensor.
    """
    tensors = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    for k, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(argument_texts.NO_TENSOR.format(k=k, place=0, kind=type_name(t)))
    return tuple(tensors)


def saved(t: Tensor, **values: Any) -> Tensor:
    """t, whose node shows these as `_saved_...`."""
    node = t._node
    if node is not None:
        node.params = values
    return t


def native_warning(text: str, line: int, stacklevel: int = 2) -> None:
    """Give once a warning of torch's code on shapes."""
    warn_native(text, f"aten/src/ATen/native/TensorShape.cpp:{line}", stacklevel + 1)


def distinct_dims(dims: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Dimensions counted from the front, none of which may occur twice."""
    found = []
    for d in dims:
        d = wrap_dim(d, ndim)
        if d in found:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
        found.append(d)
    return tuple(found)


def unsigned(dim: int) -> int:
    """A dimension as nodes show it: negative ones count around the 64 bits."""
    return dim & 0xFFFFFFFFFFFFFFFF


def complete(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """A shape in which -1 stands for what makes it hold `size` elements.

    Raises:
        RuntimeError: no shape does, or several do.
    """
    count, unknown = 1, -1
    for k, n in enumerate(shape):
        if n == -1:
            if unknown >= 0:
                raise RuntimeError("only one dimension can be inferred")
            unknown = k
        elif n >= 0:
            count *= n
        else:
            raise RuntimeError(f"invalid shape dimension {n} at index {k} of shape {list(shape)}")
    if count == size and unknown < 0:
        return shape
    if unknown >= 0 and count > 0 and size % count == 0:
        return (*shape[:unknown], size // count, *shape[unknown + 1 :])
    if unknown >= 0 and count == 0 and size == 0:
        raise RuntimeError(texts.AMBIGUOUS_SIZE.format(shape=list(shape)))
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")


# Memory.


def restrided(value: ndarray, shape: Any, strides: Any, offset: int = 0) -> ndarray:
    """A look at the memory of an array with other sizes and strides; strides and offset count bytes."""
    if 0 in shape:
        return without_elements(pointer(value) + offset, shape, value.dtype, strides)
    if value.flags.c_contiguous and value.dtype.kind != "V":
        return np.ndarray(shape, value.dtype, value, offset, strides)
    return np.ndarray(shape, value.dtype, UntypedStorage(value).bytes, offset, strides)


def view_strides(shape: tuple, strides: tuple, new: tuple) -> tuple | None:
    """The strides with which memory, not empty, is seen in a new shape of as many elements; None if there are none.

    Dimensions that lie contiguously in each other form a run; each run must hold a whole number of new dimensions.
    """
    found: list[int] = []
    left = list(new)
    step, run = strides[-1], 1
    for d in range(len(shape) - 1, -1, -1):
        run *= shape[d]
        if d and (shape[d - 1] == 1 or strides[d - 1] == run * step):
            continue
        filled = 1
        while left and (filled < run or left[-1] == 1):
            found.append(filled * step)
            filled *= left.pop()
        if filled != run:
            return None
        if d:
            step, run = strides[d - 1], 1
    return None if left else tuple(reversed(found))


def reshaped_look(value: ndarray, shape: tuple[int, ...]) -> ndarray | None:
    """The memory of an array in another shape with torch's strides, or None if it has to be copied."""
    item = value.itemsize
    if not value.size:
        strides = value.strides if value.shape == shape else [s * item for s in contiguous_strides(shape)]
        return restrided(value, shape, strides)
    if value.flags.c_contiguous and (not value.ndim or value.strides[-1] == item) and 1 not in value.shape:
        return value.reshape(shape)
    found = view_strides(value.shape, value.strides, shape) if value.ndim else (item,) * len(shape)
    return None if found is None else restrided(value, shape, found)
