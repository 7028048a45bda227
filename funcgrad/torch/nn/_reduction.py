"""`torch.nn._reduction`: the words for reductions, and the arguments that they have replaced."""

from __future__ import annotations

import warnings

_NUMBERS = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction: str) -> int:
    """The number that PyTorch's library knows a reduction by.

    Raises:
        ValueError: there is no such reduction.
    """
    number = _NUMBERS.get(reduction, -1) if isinstance(reduction, str) else -1
    if number < 0:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        text = "reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead."
        warnings.warn(text, stacklevel=2)
    return number


def legacy_get_string(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> str:
    """The reduction that size_average and reduce stand for; None counts as True."""
    mean, some = (True if flag is None else flag for flag in (size_average, reduce))
    found = "none" if not some else "mean" if mean else "sum"
    if emit_warning:
        text = f"size_average and reduce args will be deprecated, please use reduction='{found}' instead."
        warnings.warn(text, stacklevel=2)
    return found


def legacy_get_enum(size_average: bool | None, reduce: bool | None, emit_warning: bool = True) -> int:
    """The number of the reduction that size_average and reduce stand for."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
