"""`Weak`: a Python number in the place of an array, which leaves the dtype of a result to the arrays that it meets.

In `x * 2` the number is weak: a float32 x stays float32. A loop that hands its index or the 0 that it starts from to a
function must give an array, which has a shape and methods, and an array of int64 would make float64 of float32. A Weak
is both: an Array on which NumPy's promotion sees the Python number. What is computed from Weak and Python numbers alone
is Weak again.

Its trace stands just above that of plain Arrays, and a trace of a transform takes the number out (`constant`), as if it
had been written down in the program.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array, new, wrap
from funcgrad.core.trace import Trace, bind_call, constant
from funcgrad.core.types import PYTHON_NUMBERS

_DTYPES = {kind: np.dtype(kind) for kind in (int, float, complex)}


class WeakTrace(Trace):
    """Hands Python numbers to NumPy."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("evaluation")
        self.level = 0.25  # above Arrays, below torch's graph and every transform

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        # ufuncs and where know weak numbers, other implementations ask for shapes
        knows = isinstance(primitive.impl, np.ufunc) or primitive.name == "where"
        numbers = [_number(a) for a in args]
        values = [
            constant(a) if n is None else n if knows else np.asarray(n)[()] for a, n in zip(args, numbers, strict=True)
        ]
        out = primitive.impl(*values, **params)
        if primitive.multiple:
            return tuple([wrap(o) for o in out])
        return weak(out.item()) if None not in numbers and knows and out.dtype.kind in "ifc" else wrap(out)

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        """`process` for the operations on the counters of loops."""
        a = x._value if isinstance(x, Array) else x
        b = y._value if isinstance(y, Array) else y
        if primitive.multiple or type(a) is list or type(b) is list or type(a) is tuple or type(b) is tuple:
            return self.process(primitive, (x, y), {})
        out = primitive.impl(a, b)
        if type(a) in PYTHON_NUMBERS and type(b) in PYTHON_NUMBERS and out.dtype.kind in "ifc":
            return weak(out.item())
        return wrap(out)

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return bind_call(call, tuple([strong(a) for a in args]))


def _number(x: Any) -> Any:
    """The Python number that an operand is, or None."""
    return x._value if type(x) is Weak else x if type(x) in PYTHON_NUMBERS else None


class Weak(Array):
    """An Array of a Python int, float or complex number; made by `weak`."""

    __slots__ = ()
    weak = True  # as have tracers that stand for such a number
    _trace = WeakTrace()

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def dtype(self) -> np.dtype:
        return _DTYPES[type(self._value)]

    @property
    def ndim(self) -> int:
        return 0

    @property
    def size(self) -> int:
        return 1

    def strong(self) -> Array:
        """A plain Array of the dtype that NumPy gives the number."""
        return wrap(self._leave(""))

    def _leave(self, action: str) -> Any:
        return self.dtype.type(self._value)

    _concrete = _leave


def weak(number: int | float | complex) -> Weak:
    """The Weak of a Python number."""
    x = new(Weak)
    x._value = number
    return x


def is_weak(x: Any) -> bool:
    """Whether x has no dtype of its own: a Python number but a bool, a Weak, or a tracer that stands for one."""
    return type(x) in _DTYPES or getattr(type(x), "weak", False) is True


def strong(x: Any) -> Any:
    """What has no dtype of its own as an array of the dtype that NumPy gives the number; anything else as it is."""
    return x.strong() if getattr(type(x), "weak", False) is True else x
