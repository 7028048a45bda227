"""Traced numbers as the entries of ndarrays of objects: what plain `np.array([x, 2.0, y])` makes of tracers.

NumPy cannot put a tracer into an array of floats, but an array of objects holds anything, and NumPy computes with it by
the operators and methods of its entries: `A + B` calls theirs, `np.exp(A)` calls `entry.exp()`, and sums, matrix
products and norms are made of those. All that is exact. Where such an array meets an Array, a function of funcgrad or
the end of the function, `joined` makes one traced array of it. docs/design/idioms.md has the figures.

In `np.asarray(x)` each number of the traced array x becomes an `Element`. It is taken out of the array when somebody
computes with it, and an array that comes back as it went is the tracer that it was.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.primitive import Primitive, registry
from funcgrad.core.trace import Trace, Tracer, bind, bind_call, running
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.core.weak import strong
from funcgrad.errors import ArgumentError
from funcgrad.ops import index, structural

OBJECT = np.dtype(object)


class ElementTrace(Trace):
    """Takes Elements out of their arrays, and hands the operation on. It stands just above the trace of the array.

    Arguments:
        of: the trace of the array.
    """

    __slots__ = ("of",)

    def __init__(self, of: Trace) -> None:
        self.of = of

    @property
    def level(self) -> float:  # type: ignore[override]  # an attribute of other traces
        return self.of.level + 0.125

    @property
    def transform(self) -> str:  # type: ignore[override]  # likewise
        return self.of.transform

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        return bind(primitive, tuple([number(a) for a in args]), params)

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return bind_call(call, tuple([number(a) for a in args]))


class Element(Tracer):
    """One number of a traced array.

    Arguments:
        trace: its ElementTrace.
        of: the array.
        at: where, counted in row-major order.
    """

    __slots__ = ("_at", "_number", "_of")

    def __init__(self, trace: ElementTrace, of: Any, at: int) -> None:
        self._trace, self._of, self._at, self._number = trace, of, at, None

    @property
    def _value(self) -> Any:
        """The number as a tracer without axes."""
        if self._number is None:
            shape = self._of.shape
            place = self._at if len(shape) == 1 else tuple(map(int, np.unravel_index(self._at, shape)))
            self._number = bind(index.getitem, (self._of,), {"index": place})
        return self._number

    shape: tuple[int, ...] = ()
    ndim: int = 0
    size: int = 1

    def _leave(self, action: str) -> Any:
        return self._value._leave(action)

    def _concrete(self, action: str) -> Any:
        return self._value._concrete(action)

    def _check_alive(self) -> None:
        self._of._check_alive()

    def describe(self) -> str:
        return self._value.describe()

    def leak(self) -> str:
        return self._of.leak()

    def __repr__(self) -> str:
        return repr(self._value)


def number(x: Any) -> Any:
    """x, or if it is an Element the tracer without axes that it stands for."""
    return x._value if type(x) is Element else x


def objects(x: Tracer) -> np.ndarray:
    """An ndarray of objects with the numbers of a tracer."""
    Tracer.dtype = _DTYPE  # from now on NumPy may come across entries
    entries: list[Any] = [x]
    if x.ndim:
        trace = ElementTrace(x._trace)
        entries = [Element(trace, x, i) for i in range(x.size)]
    return np.fromiter(entries, OBJECT, len(entries)).reshape(x.shape)  # an assignment would ask each for an array


def _dtype(self: Any) -> np.dtype:
    """`Tracer.dtype`, hidden from np.mean and np.var.

    If a sum has a dtype they make a plain number of that dtype of it, and if it has none they divide it. To look who
    asks costs a fifth of a microsecond, which programs without arrays of objects do not pay.
    """
    if sys._getframe(1).f_globals.get("__name__") == "numpy._core._methods":
        raise AttributeError("dtype")
    return self._of.dtype if type(self) is Element else self._value.dtype


_DTYPE = property(_dtype)


def is_objects(x: Any) -> bool:
    """Whether x is an ndarray of objects."""
    return isinstance(x, np.ndarray) and x.dtype is OBJECT


def joined(a: np.ndarray) -> Any:
    """The traced array of which an ndarray of objects has the entries.

    Raises:
        ArgumentError: an entry is no number.
    """
    entries = a.ravel().tolist()
    if not (running() or any(isinstance(e, Array) for e in entries)):
        raise ArgumentError("funcgrad arrays hold numbers and booleans, got an ndarray of dtype object")
    for e in entries:
        if not (type(e) in PYTHON_NUMBERS or (isinstance(e, (Array, np.generic)) and e.ndim == 0)):
            raise ArgumentError(
                f"funcgrad arrays hold numbers and booleans, got an ndarray of dtype object with {e!r} of type "
                f"{type(e).__name__} in it; to join arrays use funcgrad.numpy.stack or funcgrad.numpy.array"
            )
    if not entries:
        return wrap(np.zeros(a.shape))
    first = entries[0]
    if type(first) is Element and all(type(e) is Element and e._of is first._of for e in entries):
        return _entries_of(first._of, [e._at for e in entries], a.shape)
    parts = [strong(number(e)) if isinstance(e, Array) else np.asarray(e)[()] for e in entries]
    return _reshaped(wrap(structural.stack(*parts, axis=0)), a.shape)


def _entries_of(x: Any, places: list[int], shape: tuple[int, ...]) -> Any:
    """Entries of x at places that are counted in row-major order; if it is all of them in their order, x itself."""
    if len(places) == x.size and all(map(int.__eq__, places, range(x.size))):
        return _reshaped(x, shape)
    flat = _reshaped(x, (x.size,))
    return bind(index.getitem, (flat,), {"index": np.array(places, np.intp).reshape(shape)})


def _reshaped(x: Any, shape: tuple[int, ...]) -> Any:
    return x if x.shape == shape else bind(structural.reshape, (x,), {"shape": shape, "order": "C"})


def plain(x: Any) -> Any:
    """What a function gave, without the Elements and arrays of objects that NumPy may have made of tracers."""
    if type(x) is Element:
        return x._value
    return joined(x) if is_objects(x) and any(isinstance(e, Array) for e in x.flat) else x


def install_methods() -> None:
    """Give tracers the methods that NumPy's ufuncs call on the entries of arrays of objects, named like the ufuncs."""
    for primitive in registry.values():
        if isinstance(primitive.impl, np.ufunc) and (name := _asked_for(primitive.impl)) and not hasattr(Tracer, name):
            setattr(Tracer, name, _method(primitive))


def _asked_for(ufunc: np.ufunc) -> str | None:
    """The method that a ufunc calls on the entries of arrays of objects, if it is no operator."""
    if "O" * ufunc.nin + "->O" not in ufunc.types or ufunc.signature is not None:
        return None
    if ufunc.__name__ in ("floor", "ceil", "trunc"):  # which go by functions of Python's math
        return f"__{ufunc.__name__}__"
    try:
        ufunc(*[np.array([object()])] * ufunc.nin)
    except (TypeError, AttributeError) as e:
        name, told = ufunc.__name__, str(e)  # no regular expression: it would be compiled for each ufunc, at the import
        return name if f"callable {name} " in told or f"attribute '{name}'" in told else None
    return None


def _method(primitive: Primitive) -> Callable:
    return lambda *xs: bind(primitive, xs, {})
