"""The dtype in which operands meet, and the shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes
from funcgrad.torch.base.dtypes import of_number, of_numpy, promote_types, result_of
from funcgrad.torch.tensor.levels import batch_count
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS, cast
from funcgrad.torch.texts import indexing as texts
from funcgrad.torch.texts import tensor as tensor_texts


def common_dtype(args: Any) -> Any:
    """The torch dtype in which operands meet: tensors, and Python numbers."""
    dimensioned = zero_dim = number = None
    for a in args:
        if isinstance(a, Tensor):
            d = of_numpy(a._value.dtype)
            if a._value.ndim:
                dimensioned = d if dimensioned is None else promote_types(dimensioned, d)
            elif a._wrapped_number:
                number = d if number is None else promote_types(number, d)
            else:
                zero_dim = d if zero_dim is None else promote_types(zero_dim, d)
        elif isinstance(a, NUMBERS):
            d = of_number(a)
            number = d if number is None else promote_types(number, d)
    return result_of(dimensioned, zero_dim, number)


def promoted(args: tuple, values: list, promote: str | None) -> tuple[list, Any]:
    """Raw operands brought to their common dtype, and that dtype."""
    d = common_dtype(args)
    if promote == "float" and d.category < dtypes.FLOATING:
        d = dtypes.get_default_dtype()
    kind = d.numpy
    return [cast(v, kind) for v in values], d


def check_broadcast(values: Any) -> tuple[int, ...]:
    """The shape to which operands broadcast; torch's error if they do not."""
    shapes = [v.shape for v in values if hasattr(v, "shape")]
    out: tuple[int, ...] = ()
    for s in shapes:
        n = max(len(out), len(s))
        a, b = (1,) * (n - len(out)) + tuple(out), (1,) * (n - len(s)) + tuple(s)
        for i in range(n - 1, -1, -1):
            if a[i] != b[i] and a[i] != 1 and b[i] != 1:
                raise RuntimeError(texts.SIZES_DIFFER.format(n=a[i], m=b[i], dim=i + batch_count(values)))
        out = tuple([y if x == 1 else x for x, y in zip(a, b, strict=True)])
    return out


def wrong_shape(have: Any, broadcast: Any) -> RuntimeError:
    """The error of a result that has another shape than what it is written into."""
    return RuntimeError(tensor_texts.RESULT_SHAPE.format(shape=list(have), broadcast=list(broadcast)))


def check_fits(shape: tuple, given: tuple) -> None:
    """Raise torch's error if a value of shape `given` does not broadcast to `shape`."""
    for i in range(1, min(len(shape), len(given)) + 1):
        if shape[-i] != given[-i] and given[-i] != 1 and shape[-i] != 1:
            raise RuntimeError(texts.SIZES_DIFFER.format(n=shape[-i], m=given[-i], dim=max(len(shape), len(given)) - i))
    both = np.broadcast_shapes(shape, given)
    if both != shape:
        raise wrong_shape(shape, both)
