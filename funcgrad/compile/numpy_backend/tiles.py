"""Tiles: how a group is carried out, and by how many threads.

The leading axes that all arrays of a group have in common are counted as one, and cut. Every thread takes a run of
tiles and has buffers of its own; partial sums are added in the order of the tiles, so that the result does not depend
on how many threads there were.
"""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import ROW_REDUCTIONS, Group, cut, scalar
from funcgrad.compile.numpy_backend.lowering import Names, literal
from funcgrad.compile.numpy_backend.threads import pool
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise, index, reduce, structural

TILE_BYTES = 1 << 18  # of the widest array in a tile: a few of them fit into the caches of one core
THREADED = 1 << 17  # elements from which threads are worth waking
_SHORT = 1 << 10  # the length of rows up to which their sums need not be pairwise

_COMBINE: dict[Any, Any] = {
    reduce.reduce_sum: np.add.reduce,
    reduce.reduce_max: np.maximum.reduce,
    reduce.reduce_min: np.minimum.reduce,
}


class Tiled:
    """A group as a function of its operands.

    Arguments:
        group: the operations.
        needed: the members whose whole results somebody outside reads.
        names: for functions and constants.
        title: the name of the function in the source.

    Attributes:
        operands: the equations outside that it reads.
        text: the source of the function that carries out a run of tiles.
    """

    def __init__(self, group: Group, needed: Sequence[Equation], names: Names, title: str) -> None:
        self.group, self.needed, self.title, self.names = group, list(needed), title, names
        self.merged = group.merged()
        self.length = math.prod(group.shape[: self.merged])
        widest = max([math.prod(e.shape) for e in group.members]) // self.length
        item = max([e.dtype.itemsize for e in group.members])
        self.step = max(1, TILE_BYTES // item // max(1, widest))
        self.threads = widest * self.length >= THREADED
        self.operands: list[Equation] = []
        self.cut: list[bool] = []
        self._labels: dict[tuple[Equation, bool], str] = {}
        self._head: list[str] = []
        self._tile: list[str] = []
        self._units: dict[tuple[int, np.dtype], np.ndarray] = {}
        self._slots: list[tuple[np.dtype, tuple[int, ...]]] = []
        self.local = threading.local()
        self.text = self._write()

    def _write(self) -> str:
        """The source of the function of a range of tiles."""
        group, k = self.group, self.merged
        order = list(group.members)
        base: dict[Equation, Equation] = {}  # the member in whose buffer another lies
        last: dict[Equation, int] = {}
        for n, e in enumerate(order):
            view = e.primitive in (structural.reshape, structural.transpose, structural.broadcast_to)
            base[e] = base.get(e.inputs[0], e) if view else e
            for i in e.inputs:
                if type(i) is Equation and i in base:
                    last[base[i]] = n
        ends: dict[Equation, list[int]] = {}
        for n, r in enumerate(group.reductions):
            ends.setdefault(r.inputs[0], []).append(n)
        place = {e: n for n, e in enumerate(self.needed)}
        lines: list[str] = []
        free: dict[Any, list[int]] = {}
        slot: dict[Equation, int] = {}

        def release(n: int, among: Sequence[Any]) -> None:
            for i in among:
                if type(i) is Equation and base.get(i) in slot and last.get(base[i], n) <= n:
                    number = slot.pop(base[i])
                    free.setdefault(self._slots[number], []).append(number)

        label: dict[Equation, str] = {}
        for n, e in enumerate(order):
            args = [label[i] if type(i) is Equation and i in label else self._operand(i, e) for i in e.inputs]
            name = label[e] = f"y{n}"
            ufunc = isinstance(e.primitive.impl, np.ufunc)
            if not (ufunc and self._exact(e)):
                call = self._call(e, args)
                if e in place:
                    lines.append(f"{name} = out{place[e]}[i:j]")
                    lines.append(f"{name}[...] = {call}")
                else:
                    lines.append(f"{name} = {call}")
                release(n, e.inputs)
            else:
                if e in place:
                    out = f"out{place[e]}[i:j]"
                    release(n, e.inputs)
                else:
                    release(n, e.inputs)
                    kind = (e.dtype, e.shape[k:])
                    spare = free.get(kind)
                    if spare:
                        number = spare.pop()
                    else:
                        number = len(self._slots)
                        self._slots.append(kind)
                    slot[e] = number
                    out = f"b{number}"
                where = "out=" if e.primitive in (elementwise.maximum, elementwise.minimum) else ""  # NumPy asks for it
                function = self.names.of(e.primitive.impl, e.primitive.name)
                lines.append(f"{name} = {function}({', '.join(args)}, {where}{out})")
            lines += [self._reduction(r, list(group.reductions)[r], name) for r in ends.get(e, ())]
            if e not in last:
                release(n, [e])
        head = [f"out{n} = outs[{n}]" for n in range(len(self.needed))]
        slices = [f"b{n} = buffers[{n}][:j - i]" for n in range(len(self._slots))]
        body = "".join(f"        {line}\n" for line in (*self._tile, *slices, *lines))
        start = "".join(f"    {line}\n" for line in (*self._head, *head))
        return (
            f"def {self.title}(start, stop, operands, outs, buffers, parts):\n{start}"
            f"    for i in range(start, stop, {self.step}):\n        j = min(i + {self.step}, stop)\n{body}"
        )

    def _exact(self, e: Equation) -> bool:
        """Whether the result on a tile has the shape of the rows: an operand of rows makes it so."""
        return any(cut(shape_of(i), e) for i in e.inputs)

    def _operand(self, x: Any, e: Equation) -> str:
        """The name in a tile of what comes from outside."""
        if type(x) is not Equation:
            x = scalar(x)
            if not (isinstance(x, np.ndarray) and cut(x.shape, e)):
                return literal(x, "constant", self.names)
            rows = np.ascontiguousarray(x).reshape(self.length, *x.shape[self.merged :])
            name = self.names.of(rows, "constant")
            line = f"{name}_rows = {name}[i:j]"
            if line not in self._tile:
                self._tile.append(line)
            return f"{name}_rows"
        rows_of = cut(x.shape, e)
        known = self._labels.get((x, rows_of))
        if known is not None:
            return known
        n = len(self.operands)
        self.operands.append(x)
        self.cut.append(rows_of)
        self._head.append(f"x{n} = operands[{n}]")
        if rows_of:
            self._tile.append(f"t{n} = x{n}[i:j]")
        name = self._labels[x, rows_of] = f"t{n}" if rows_of else f"x{n}"
        return name

    def _call(self, e: Equation, args: list[str]) -> str:
        """A member that has no out= as an expression on one tile."""
        p, k, params = e.primitive, self.merged, e.params
        rest = "".join([f", {n}" for n in e.shape[k:]])
        if p is structural.reshape:
            return f"{args[0]}.reshape((j - i{rest},))" if rest else f"{args[0]}.reshape(j - i)"
        if p is structural.broadcast_to:
            return f"{self.names.of(np.broadcast_to, 'broadcast_to')}({args[0]}, (j - i{rest or ','}))"
        if p is structural.transpose:
            return f"{args[0]}.transpose({(0, *[a - k + 1 for a in params['axes'][k:]])!r})"
        if p in ROW_REDUCTIONS:
            axis = params["axis"]
            params = {**params, "axis": axis - k + 1 if type(axis) is int else tuple([a - k + 1 for a in axis])}
            if p in _COMBINE:
                keep = bool(params.get("keepdims"))
                long = e.inputs[0].shape[-1]
                if (
                    p is reduce.reduce_sum
                    and params["axis"] == (len(e.inputs[0].shape) - k,)
                    and e.dtype.char in "fd"
                    and 1 < long <= _SHORT
                ):
                    # a product with ones is two to five times faster than NumPy's sum of short rows
                    ones = self.names.of(self._ones(long, e.dtype), "ones")
                    total = f"{self.names.of(np.matmul, 'matmul')}({args[0]}, {ones})"
                    return f"{total}[..., None]" if keep else total
                return f"{self.names.of(_COMBINE[p], p.name)}({args[0]}, {params['axis']!r}, None, None, {keep})"
        if p is structural.astype and e.inputs[0].dtype.kind != "c":
            return f"{args[0]}.astype({self.names.of(e.dtype, e.dtype.name)})"
        if p is index.where:
            return f"{self.names.of(np.where, 'where')}({', '.join(args)})"
        words = args + [f"{name}={literal(v, name, self.names)}" for name, v in params.items()]
        return f"{self.names.of(p.impl, p.name)}({', '.join(words)})"

    def _ones(self, n: int, dtype: np.dtype) -> np.ndarray:
        known = self._units.get((n, dtype))
        return self._units.setdefault((n, dtype), np.ones(n, dtype)) if known is None else known

    def _reduction(self, n: int, r: Equation, arg: str) -> str:
        axis = (0, *[a - self.merged + 1 for a in r.params["axis"] if a >= self.merged])
        where = "None" if len(axis) == len(r.inputs[0].shape) - self.merged + 1 else repr(axis)
        return f"parts[{n}].append({self.names.of(_COMBINE[r.primitive], r.primitive.name)}({arg}, {where}))"

    def function(self, run_range: Callable) -> Callable[..., Any]:
        """The group as a function of raw operands, which gives the needed results and then the reductions."""
        needed, reductions = self.needed, list(self.group.reductions)
        length, step, k = self.length, self.step, self.merged
        tiles = -(-length // step)
        rows = [(length, *i.shape[k:]) if c else None for i, c in zip(self.operands, self.cut, strict=True)]
        whole = [(length, *e.shape[k:]) for e in needed]

        def buffers() -> list[np.ndarray]:
            found = getattr(self.local, "buffers", None)
            if found is None:
                size = min(step, length)
                found = self.local.buffers = [np.empty((size, *rest), d) for d, rest in self._slots]
            return found

        def run(*operands: Any) -> list[Any]:
            given = [x if s is None else x.reshape(s) for x, s in zip(operands, rows, strict=True)]
            results: list[Any] = [np.empty(e.shape, e.dtype) for e in needed]
            outs = [r.reshape(s) for r, s in zip(results, whole, strict=True)]

            def work(start: int, stop: int) -> list[list[Any]]:
                parts: list[list[Any]] = [[] for _ in reductions]
                run_range(start, stop, given, outs, buffers(), parts)
                return parts

            count = min(pool.size, tiles) if self.threads else 1
            edges = [(tiles * n // count) * step for n in range(count)] + [length]
            found = pool.run(work, list(itertools.pairwise(edges)))
            for n, r in enumerate(reductions):
                total = _COMBINE[r.primitive]([p for parts in found for p in parts[n]], axis=0)
                results.append(total.astype(r.dtype, copy=False).reshape(r.shape) if r.shape else r.dtype.type(total))
            return results

        return run
