"""A Fourier transform as a part of a program: what Python calls."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.native.calls import Entry, builtin, others_running
from funcgrad.compile.native.fourier.transforms import LONG, PARAMETERS, Transform
from funcgrad.compile.native.ir import Module, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.numpy_backend.threads import pool
from funcgrad.core.tape import Equation

_THREADED = 1 << 22  # additions from which threads are worth waking
_ALIGNED = 64  # bytes of which memory is a multiple


class FourierPart:
    """A transform as functions of a module.

    Arguments:
        module: to which they are added.
        e: the equation.
        title: the name of what Python calls.
        over: whether the result is written over the operand.

    Attributes:
        text: says what it is.
    """

    def __init__(self, module: Module, e: Equation, title: str, over: bool) -> None:
        self._e, self._title, self._over = e, title, over
        self._transform = Transform(e)
        self._transform.write(module)
        self._inputs = [(e.inputs[0].shape, np.dtype(e.inputs[0].dtype))]
        self.text = f"{title} does in machine code, in {self._transform.batches} batches of lines: {e}"
        self._write_entry(module)

    def _write_entry(self, module: Module) -> None:
        """Write what Python calls where one thread is enough."""
        t, entry = self._transform, Entry(module, f"{self._title}.call", self._inputs, 1)
        entry.begin_results()
        to = entry.put_argument(0, 0) if self._over else entry.put_array(0, self._e.shape, np.dtype(self._e.dtype))
        room = entry.memory(t.room, _ALIGNED)
        with others_running(entry.f, t.work >= LONG):
            entry.f.run(t.name, entry.data[0], to, room.place, Value("0", "i64"), Value(str(t.batches), "i64"))
        entry.release(room)
        entry.finish()

    def function(self, library: Library) -> Callable[..., Any]:
        """What carries the transform out: a function of the raw operand, which gives a tuple of the result."""
        count = min(pool.size, self._transform.batches) if self._transform.work >= _THREADED else 1
        if count > 1:
            return self._in_ranges(library, count)
        return builtin(library, f"{self._title}.call", self._inputs, self._with_numpy)

    def _with_numpy(self, x: Any) -> tuple:
        return (self._e.primitive.impl(x, **self._e.params),)

    def _in_ranges(self, library: Library, count: int) -> Callable[..., tuple]:
        """The function that does it in so many ranges of batches, each in a thread."""
        t, e, over = self._transform, self._e, self._over
        kinds = [ctypes.c_int64 if kind == "i64" else ctypes.c_void_p for _, kind in PARAMETERS]
        code = ctypes.CFUNCTYPE(None, *kinds)(library.address(t.name))
        ranges = list(itertools.pairwise([t.batches * n // count for n in range(count + 1)]))

        def run(x: Any) -> tuple:
            given = np.ascontiguousarray(x, e.inputs[0].dtype)
            made = given if over else np.empty(e.shape, e.dtype)

            def work(start: int, stop: int) -> Any:
                room = np.empty(t.room, np.uint8)
                code(given.ctypes.data, made.ctypes.data, room.ctypes.data, start, stop)
                return library  # which has to live as long

            pool.run(work, ranges)
            return (made,)

        return run


__all__ = ["FourierPart"]
