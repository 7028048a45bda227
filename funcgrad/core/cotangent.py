"""Cotangents that are not arrays yet: the backward walk adds them up and makes them dense when their time comes.

Reading one element of a large array, or one result of an operation that has several, gives a cotangent that is mostly
zero. It stays in short form while the walk accumulates; `dense` is asked for once, when all have arrived.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.sums import sum_leading
from funcgrad.core.trace import zeros


class Deferred:
    """A cotangent in short form. Adding to it, from either side, gives a Deferred again."""

    __slots__ = ("dtype", "shape")
    __array_ufunc__ = None  # so that `ndarray + deferred` comes to __radd__

    shape: Any
    dtype: Any

    def dense(self) -> Any:
        """The cotangent as the array (or tuple of arrays) that it stands for."""
        raise TypeError(f"{type(self).__name__} must define dense")

    def for_rule_of(self, primitive: Any) -> Any:
        """What the backward rule of a primitive is given: the dense cotangent, unless it knows this form."""
        return self.dense()

    def __add__(self, other: Any) -> Any:
        raise TypeError(f"{type(self).__name__} must define __add__")

    def __radd__(self, other: Any) -> Any:
        return self + other


class Parts(Deferred):
    """The cotangent of an operation with several results, part by part.

    Arguments:
        parts: the cotangents that have arrived, by the number of the result.
        shape, dtype: tuples: those of all the results.
    """

    __slots__ = ("parts",)

    def __init__(self, parts: dict[int, Any], shape: tuple, dtype: tuple) -> None:
        self.parts, self.shape, self.dtype = parts, shape, dtype

    def __add__(self, other: Parts) -> Parts:
        both = dict(self.parts)
        for i, g in other.parts.items():
            both[i] = both[i] + g if i in both else g
        return Parts(both, self.shape, self.dtype)

    def dense(self) -> tuple:
        return tuple(
            self.parts[i] if i in self.parts else zeros(s, d)
            for i, (s, d) in enumerate(zip(self.shape, self.dtype, strict=True))
        )


class OpenParts(Parts):
    """Parts of which those that have not arrived stay None, for plans that are `partial`."""

    __slots__ = ()

    def __add__(self, other: Parts) -> OpenParts:
        return OpenParts(super().__add__(other).parts, self.shape, self.dtype)

    def dense(self) -> tuple:
        return tuple([self.parts.get(i) for i in range(len(self.shape))])


def fit(ct: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A cotangent in the shape and dtype of its operand: the one place where broadcasting and promotion are undone.

    Axes that broadcasting added or stretched are summed, a complex cotangent of a real operand gives its real part, and
    the rest is a cast.
    """
    if ct.shape != shape:
        extra = ct.ndim - len(shape)
        if extra > 0 and ct.shape[extra:] == shape:  # the commonest case, a bias: only leading axes were added
            ct = sum_leading(ct, extra)
        elif extra >= 0:
            stretched = [i for i, n in enumerate(shape, extra) if n == 1 and ct.shape[i] != 1]
            if extra or stretched:
                left = tuple([1 if i in stretched else ct.shape[i] for i in range(extra, ct.ndim)])
                ct = np.add.reduce(ct, axis=(*range(extra), *stretched), keepdims=True).reshape(left)
        if ct.shape != shape:  # a rule may leave axes at length one, or out
            ct = stretch(ct, shape)
    if ct.dtype != dtype:
        if ct.dtype.kind == "c" and dtype.kind != "c":
            ct = ct.real
        if ct.dtype != dtype:
            ct = ct.astype(dtype)
    return ct


def spread(tangent: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """A tangent in the shape and dtype of the result: broadcasting and promotion, done once for all forward rules."""
    if tangent.shape != shape:
        tangent = stretch(tangent, shape)
    if tangent.dtype != dtype:
        tangent = tangent.real if tangent.dtype.kind == "c" and dtype.kind != "c" else tangent
        tangent = tangent.astype(dtype)
    return tangent


def stretch(x: Any, shape: tuple[int, ...]) -> Any:
    """`np.broadcast_to(x, shape)`, ten times faster for a scalar, which is what a sum pulls back."""
    if x.ndim == 0 and not isinstance(x, Array):
        return np.ndarray(shape, x.dtype, np.asarray(x), 0, (0,) * len(shape))
    return np.broadcast_to(x, shape)
