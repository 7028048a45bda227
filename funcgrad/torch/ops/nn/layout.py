"""Where results lie in memory: with the channels last, if those of the input are."""

from __future__ import annotations

import numpy as np
from numpy import ndarray

from funcgrad.torch.tensor.tensor import Tensor


def with_channels_of(t: Tensor, input: Tensor) -> Tensor:
    """A result that nobody else has seen, in memory with its channels last if the input has them so.

    Arguments:
        t: the result, "batch channels ..." as the input.
        input: of four or five dimensions, or others, which say nothing.
    """
    value, out = input._value, t._value
    if type(value) is ndarray and value.ndim in (4, 5) and value.size and not value.flags.c_contiguous:
        last = (0, *range(2, value.ndim), 1)
        if value.transpose(last).flags.c_contiguous and type(out) is ndarray:
            first = (0, value.ndim - 1, *range(1, value.ndim - 1))
            t._value = np.ascontiguousarray(out.transpose(last)).transpose(first)
    return t
