"""The words that annotate public signatures, and what a value looks like when only its shape and dtype are known.

jaxtyping costs as much to import as NumPy, so its names are real only for type checkers and when the environment
variable FUNCGRAD_TYPECHECK asks for run-time checks, as the tests do. Otherwise they are stand-ins that nobody looks
at.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from funcgrad.core.array import Array, native
from funcgrad.errors import ArgumentError

if TYPE_CHECKING or os.environ.get("FUNCGRAD_TYPECHECK"):
    from jaxtyping import Bool, Complex, Float, Inexact, Integer, Num, Shaped
else:

    class Shaped:
        """Stand-in for jaxtyping's annotation classes: `Shaped[Array, "n"]` is `Array`."""

        def __class_getitem__(cls, item: Any) -> Any:
            return item[0]

    Bool = Complex = Float = Inexact = Integer = Num = Shaped

ArrayLike: TypeAlias = Array | np.ndarray | np.generic | bool | int | float | complex | list | tuple
"""What functions of funcgrad.numpy take for an array: arrays of either kind, Python numbers, nested sequences."""

PYTHON_NUMBERS = frozenset({bool, int, float, complex})
"""The types of numbers without a dtype of their own. np.float64 is a subclass of float, so ask with `type(x) in`."""

PyTree: TypeAlias = Any
"""Nested containers of arrays (funcgrad.tree)."""


class ShapeDtypeStruct:
    """Shape and dtype of an array that need not exist; `eval_shape` and `make_tape` take and give them.

    Arguments:
        shape: the lengths of the axes.
        dtype: anything that `numpy.dtype` takes.

    Example:
        >>> fg.ShapeDtypeStruct((2, 3), "float32")
        ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        if dtype is None:
            raise ArgumentError("ShapeDtypeStruct: dtype must be specified, for instance float")
        self.shape = tuple(shape)
        self.dtype = native(dtype)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ShapeDtypeStruct) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype})"


def shape_of(x: Any) -> tuple[int, ...]:
    """The shape of an operand: an array of any kind, a tracer, or a Python number."""
    return x.shape if hasattr(x, "shape") else np.shape(x)


def dtype_of(x: Any) -> np.dtype:
    """The dtype of an operand; that which NumPy gives a Python number when it stands alone."""
    return x.dtype if hasattr(x, "dtype") else np.asarray(x).dtype
