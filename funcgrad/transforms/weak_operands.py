"""Operands without a dtype of their own on a tape, where the number that they stand for is not known.

A program that jit records takes a Python number as a NumPy scalar of the dtype that the number has when it stands
alone. Where it meets an array whose dtype counts, the program converts it first, as NumPy does with a Python number.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.trace import Tracer
from funcgrad.core.types import dtype_of
from funcgrad.core.weak import is_weak
from funcgrad.ops import elementwise, index, structural

_ARITHMETIC = (
    elementwise.add,
    elementwise.subtract,
    elementwise.multiply,
    elementwise.divide,
    elementwise.floor_divide,
    elementwise.remainder,
    elementwise.power,
    elementwise.negative,
    elementwise.positive,
    elementwise.absolute,
)
_COMPARISONS = (
    elementwise.equal,
    elementwise.not_equal,
    elementwise.less,
    elementwise.less_equal,
    elementwise.greater,
    elementwise.greater_equal,
)
_PYTHON_TYPES = {"i": int, "f": float, "c": complex}


def any_weak(args: tuple) -> bool:
    """Whether a tracer that stands for a Python number is among operands."""
    # A list, for a generator takes twice as long.
    return True in [getattr(type(a), "weak", False) is True and isinstance(a, Tracer) for a in args]


def gives_weak(primitive: Any, args: tuple) -> bool:
    """Whether the result is a number without a dtype of its own: Python's operators give one for such numbers."""
    return primitive in _ARITHMETIC and all(is_weak(a) for a in args)


def converted(primitive: Any, args: tuple) -> tuple:
    """The operands, tracers of Python numbers in the dtypes that NumPy gives such numbers beside the others."""
    if all(is_weak(a) for a in args):
        return args
    if primitive is index.where:
        common = np.result_type(*[_python_type(a)(0) if is_weak(a) else dtype_of(a) for a in args[1:]])
        dtypes = (dtype_of(args[0]), common, common)
    elif isinstance(primitive.impl, np.ufunc):
        asked = [_python_type(a) if is_weak(a) else dtype_of(a) for a in args]
        dtypes = primitive.impl.resolve_dtypes((*asked, *[None] * primitive.impl.nout))
    else:
        return args
    if primitive in _COMPARISONS and all(dtype_of(a).kind in "biu" for a in args):
        return args  # integers compare exactly, whatever range their dtypes have
    return tuple(
        [
            structural.astype(a, dtype=d) if is_weak(a) and isinstance(a, Tracer) and a.dtype != d else a
            for a, d in zip(args, dtypes, strict=False)
        ]
    )


def _python_type(x: Any) -> type:
    return _PYTHON_TYPES[dtype_of(x).kind]
