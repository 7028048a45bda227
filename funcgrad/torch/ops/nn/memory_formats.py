"""In which order the results of convolution and pooling lie in memory: channels last where the input does."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.torch.base.meta import channels_last, channels_last_3d
from funcgrad.torch.ops.memory import empty_in, lies_in

_FORMATS = {4: channels_last, 5: channels_last_3d}


def in_channels_last(x: Any) -> bool:
    """Whether the channels of a tensor are innermost, and nothing speaks for the usual order."""
    value = x._value
    layout = _FORMATS.get(value.ndim)
    if layout is None or type(value) is not ndarray or value.flags.c_contiguous:
        return False
    return lies_in(value, layout)


def laid_out(value: ndarray, last: bool) -> ndarray:
    """A result with its channels innermost, or in the usual order."""
    if not last or value.ndim not in _FORMATS:
        return value if value.flags.c_contiguous else np.ascontiguousarray(value)
    out = empty_in(_FORMATS[value.ndim], value.shape, value.dtype)
    out[...] = value
    return out
