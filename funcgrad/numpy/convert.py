"""How the functions of funcgrad.numpy take their arguments and give their results.

`operand` and `asarray` are the two ways in, `wrap` is the way out:

- A function that always computes fresh memory takes its arguments with `operand`, which leaves a caller's ndarray as it
  is, and gives `wrap(primitive(...))`.
- A function whose result may be a view of its argument (reshape, indexing, real) takes it with `asarray`, which copies
  a caller's ndarray, so that nothing the caller does later shows in the result.
"""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np
from numpy.lib import array_utils

from funcgrad.core.array import NATIVE, Array, is_number, native, snapshot, wrap
from funcgrad.errors import ArgumentError, FuncgradError, UnsupportedError, buffer_write, type_text
from funcgrad.ops.elements import OBJECT, is_objects, joined
from funcgrad.ops.structural import stack

__all__ = [
    "asarray",
    "inexact",
    "normalize_axes",
    "normalize_axis_index",
    "operand",
    "real_floats",
    "reject",
    "whole",
    "with_shape",
    "wrap",
]


_OPERANDS = (Array, np.ndarray, np.generic, bool, int, float, complex)


def asarray(x: Any, dtype: Any = None) -> Array:
    """x as an Array, which owns its value; tracers and Arrays pass, lists may hold tracers.

    Raises:
        ArgumentError: x is no array of numbers or booleans.
    """
    if isinstance(x, Array):
        return x if dtype is None or x.dtype == dtype else x.astype(dtype)
    if type(x) is np.ndarray and x.dtype is not OBJECT:
        return wrap(snapshot(x, dtype))
    if isinstance(x, (list, tuple)) and _holds_array(x):
        out = _join(x)
        return out if dtype is None or out.dtype == dtype else out.astype(dtype)
    if is_objects(x):
        return asarray(joined(x), dtype)
    return wrap(snapshot(x, dtype))


def operand(x: Any) -> Any:
    """x as an operand of a primitive: arrays and numbers pass as they are, nested sequences become Arrays."""
    if isinstance(x, _OPERANDS):
        if not isinstance(x, np.ndarray) or x.dtype in NATIVE:
            return x
        if x.dtype is OBJECT:
            return joined(x)
        if not is_number(x.dtype):
            raise ArgumentError(f"funcgrad arrays hold numbers and booleans, got an ndarray of dtype {x.dtype}")
        return x.astype(native(x.dtype), copy=False)
    return asarray(x)


def with_shape(x: Any) -> Any:
    """`operand`, for looking at the shape: numbers become Arrays as well."""
    return operand(x) if hasattr(x, "shape") else asarray(x)


def inexact(x: Any) -> Array:
    """x as an Array of floats or complex numbers; integers become float64."""
    a = asarray(x)
    return a if a.dtype.kind in "fc" else a.astype(np.float64)


def _holds_array(x: Any) -> bool:
    return isinstance(x, Array) or is_objects(x) or (isinstance(x, (list, tuple)) and any(_holds_array(e) for e in x))


def _join(x: Any) -> Any:
    """Nested sequences with Arrays or tracers among their elements, as one Array."""
    if not isinstance(x, (list, tuple)):
        return asarray(x)
    parts = [_join(e) for e in x]
    shapes = {p.shape for p in parts}
    if len(shapes) > 1:
        raise ValueError(f"the parts of an array must have one shape, got {sorted(shapes)}")
    return wrap(stack(*parts, axis=0))


def real_floats(x: Any, name: str) -> Array:
    """An argument of the function of this name as an Array of floats.

    Raises:
        ArgumentError: it is complex.
    """
    a = asarray(x)
    if a.dtype.kind == "c":
        raise ArgumentError(f"{name} takes real numbers, got {type_text(a)}")
    return a if a.dtype.kind == "f" else a.astype(np.float64)


def whole(n: Any, what: str) -> int:
    """A number as an int.

    Arguments:
        n: an integer.
        what: what it is, for the message: "an axis".

    Raises:
        ArgumentError: it is none; 2.0 is none either.
    """
    try:
        return index(n)
    except TypeError as error:
        raise _no_integer(error, what, n) from None


def _no_integer(error: TypeError, what: str, given: Any) -> TypeError:
    """The error for something in the place of an integer; a tracer has said itself what is wrong."""
    if isinstance(error, FuncgradError):
        return error
    return ArgumentError(f"{what} must be an integer, got {given!r} of type {type(given).__name__}")


def normalize_axis_index(axis: Any, ndim: int, prefix: str | None = None) -> int:
    """`axis` as a non-negative axis; the prefix begins the message of an error.

    Raises:
        numpy.exceptions.AxisError: it is out of bounds.
        ArgumentError: it is no integer.
    """
    try:
        return array_utils.normalize_axis_index(axis, ndim, prefix)
    except TypeError as error:
        raise _no_integer(error, prefix or "an axis", axis) from None


def normalize_axes(axis: Any, ndim: int, allow_duplicate: bool = False) -> tuple[int, ...]:
    """`axis` as a tuple of non-negative axes: None stands for all.

    Raises:
        numpy.exceptions.AxisError: an axis is out of bounds.
        ValueError: an axis is named twice.
        ArgumentError: an axis is no integer.
    """
    if axis is None:
        return tuple(range(ndim))
    try:
        return array_utils.normalize_axis_tuple(axis, ndim, allow_duplicate=allow_duplicate)
    except TypeError:
        for a in axis if isinstance(axis, (tuple, list)) else [axis]:
            whole(a, "an axis")
        raise


def reject(function: str, **options: Any) -> None:
    """Refuse options of NumPy that an immutable, differentiable array cannot honour: those that are not None.

    Raises:
        LostTraceError: `out=` was given.
        UnsupportedError: another option was given.
    """
    for name, value in options.items():
        if value is None:
            continue
        if name == "out":
            raise buffer_write(f"{function}(..., out=)", asarray(0.0) if not isinstance(value, Array) else value)
        raise UnsupportedError(f"funcgrad.numpy.{function} does not have the option {name}= (got {value!r})")
