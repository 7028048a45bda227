"""In which order the results of convolution and pooling lie in memory: channels last where the input does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.meta import channels_last, channels_last_3d
from funcgrad.torch.ops.memory import empty_in

_FORMATS = {4: channels_last, 5: channels_last_3d}
_INNERMOST_FIRST = {4: (1, 3, 2, 0), 5: (1, 4, 3, 2, 0)}


def in_channels_last(x: Any) -> bool:
    """Whether the strides of a tensor speak for channels as the innermost dimension, even if there are gaps."""
    value = x._value
    order = _INNERMOST_FIRST.get(value.ndim)
    if order is None or type(value) is not ndarray or value.flags.c_contiguous or not value.strides[1]:
        return False
    least = 0
    for d in order:
        if not value.shape[d] or value.strides[d] < least or (d == 0 and least == value.strides[1]):
            return False
        least = value.strides[d] * value.shape[d]
    return True


def laid_out(value: ndarray, last: bool) -> ndarray:
    """A result with its channels innermost, or in the usual order."""
    if not last or value.ndim not in _FORMATS:
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    out = empty_in(_FORMATS[value.ndim], value.shape, value.dtype)
    out[...] = value
    return out
