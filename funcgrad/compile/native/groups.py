"""Groups in machine code: how a group becomes a function of chunks of rows, and how that is called.

A chunk is a fixed number of rows. Each has a place of its own for its part of every reduction over rows, and the parts
are combined in a fixed order: so the result depends neither on the number of threads nor on the width of registers.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from funcgrad.compile.native.ir import TYPES, Module
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.rows import PARAMETERS, Rows, Unwritable
from funcgrad.compile.numpy_backend.groups import Group
from funcgrad.compile.numpy_backend.threads import pool
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation
from funcgrad.ops import reduce

THREADED = 1 << 17  # elements from which threads are worth waking
CHUNK = 1 << 15  # elements of the widest member in a chunk
_COMBINE: dict[Any, np.ufunc] = {
    reduce.reduce_sum: np.add,
    reduce.reduce_max: np.maximum,
    reduce.reduce_min: np.minimum,
}


class NativeGroup:
    """A group as a function of a module.

    Arguments:
        module: to which it is added.
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        title: the name of the function.

    Attributes:
        operands: the equations outside that it reads.
        taken: for needed members the operand whose memory they take: results are new arrays.
        text: says what it is.
    """

    def __init__(self, module: Module, group: Group, needed: Sequence[Equation], title: str) -> None:
        self.title, self.needed, self.sums = title, list(needed), list(group.reductions)
        rows = Rows(module, group, needed, title)
        widest = max([math.prod(e.shape) for e in group.members])
        unit = rows.parts * max(1, CHUNK * rows.length // widest // rows.parts)
        self.chunks = -(-rows.length // unit)
        self.threads = widest >= THREADED
        rows.write(unit)
        self.operands = [x for x in rows.sources if type(x) is Equation]
        self.taken: dict[Equation, Equation] = {}
        self.text = f"# {title}: {len(group.members)} operations on {rows.length} rows, in machine code"
        self._kinds = [x.dtype for x in self.operands]
        self._order = [type(x) is Equation for x in rows.sources]
        self._constants = [np.ascontiguousarray(raw(x)) for x in rows.sources if type(x) is not Equation]
        self._work, self._bytes, self._places = rows.work, rows.part_bytes, [rows.places[r] for r in self.sums]

    def function(self, library: Library) -> Callable[..., list[Any]]:
        """What carries the group out: a function of the raw operands, which gives the results."""
        kinds = [ctypes.c_int64 if kind == "i64" else ctypes.c_void_p for _, kind in PARAMETERS]
        code = ctypes.CFUNCTYPE(None, *kinds)(library.address(self.title))
        count = min(pool.size, self.chunks) if self.threads else 1
        edges = [self.chunks * n // count for n in range(count + 1)]
        ranges = list(itertools.pairwise(edges))

        def run(*operands: Any) -> list[Any]:
            given = [np.ascontiguousarray(x, kind) for x, kind in zip(operands, self._kinds, strict=True)]
            varying, fixed = iter(given), iter(self._constants)
            sources = [next(varying) if one else next(fixed) for one in self._order]
            outs = [np.empty(e.shape, e.dtype) for e in self.needed]
            parts = np.empty((self.chunks, self._bytes), np.uint8)
            ins, results = _addresses(sources), _addresses(outs)

            def work(start: int, stop: int) -> Any:
                memory = np.empty(self._work // 8 + 8)
                code(ins, results, parts.ctypes.data, memory.ctypes.data, start, stop)
                return library  # which has to live as long

            pool.run(work, ranges)
            return [*outs, *[self._combined(r, parts, place) for r, place in zip(self.sums, self._places, strict=True)]]

        return run

    def _combined(self, r: Equation, parts: np.ndarray, place: tuple[int, int, int]) -> Any:
        """A reduction over rows, from what the chunks gave."""
        at, size, lanes = place
        kind = np.dtype(r.dtype)
        found = parts[:, at : at + size * lanes * kind.itemsize].view(kind).reshape(-1, size, lanes)
        ufunc = _COMBINE[r.primitive]
        total = _folded(ufunc, np.moveaxis(_folded(ufunc, found), -1, 0))
        return total.reshape(r.shape) if r.shape else total[0]


def _addresses(arrays: Sequence[np.ndarray]) -> Any:
    return (ctypes.c_void_p * max(1, len(arrays)))(*[x.ctypes.data for x in arrays])


def _folded(ufunc: np.ufunc, x: np.ndarray) -> np.ndarray:
    """The reduction along the first axis, by pairs."""
    while len(x) > 1:
        half = len(x) // 2
        folded = ufunc(x[:half], x[half : 2 * half])
        x = folded if 2 * half == len(x) else np.concatenate((folded, x[2 * half :]))
    return x[0]


def group_part(
    module: Module, group: Group, needed: Sequence[Equation], title: str, lent: AbstractSet[Equation]
) -> NativeGroup | None:
    """A group as a function of the module; None if NumPy shall carry it out.

    Arguments:
        module: to which the function is added.
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        title: the name of the function.
        lent: the operands whose memory it may write over.

    Returns:
        An object with `operands`, `taken`, `text` and `function(library)`, as target.py says.
    """
    if not all(e.dtype in TYPES for e in group.all()):
        return None
    try:
        return NativeGroup(module, group, needed, title)
    except Unwritable:
        return None


__all__ = ["NativeGroup", "group_part"]
