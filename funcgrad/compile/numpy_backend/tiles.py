"""Tiles: how a group is carried out, and by how many threads.

The leading axes that all arrays of a group have in common are counted as one, and cut. Every thread takes a run of
tiles and has buffers of its own; partial sums are added in the order of the tiles, so that the result does not depend
on how many threads there were.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.angles import angles, sine_and_cosine
from funcgrad.compile.numpy_backend.buffers import Buffers
from funcgrad.compile.numpy_backend.dots import summed_products, total_product
from funcgrad.compile.numpy_backend.groups import ROW_REDUCTIONS, VIEWS, Group, cut, scalar
from funcgrad.compile.numpy_backend.layouts import layout
from funcgrad.compile.numpy_backend.lowering import NO_GAPS, Names, literal
from funcgrad.compile.numpy_backend.row_loops import buffer_for, buffers_of
from funcgrad.compile.numpy_backend.threads import pool
from funcgrad.core.tape import Equation
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise, index, reduce, structural

# The bytes of the widest array in a tile: a few of them fit into the caches of one core. The sizes of the caches do not
# tell the best number (docs/design/compile.md); sums depend on it, so it is one for all machines, and not measured.
TILE_BYTES = int(os.environ.get("FUNCGRAD_TILE_BYTES", 1 << 18))
TURNED = 4  # times as many where the rows come last, for there the rows of a tile are the length of a loop
THREADED = 1 << 17  # elements from which threads are worth waking
_PARTS = 2  # tiles that there are then at least, however many threads
_SHORT = 1 << 10  # the length of rows up to which their sums need not be pairwise
_FEW = 4  # terms that are added one by one
_LONG = 1 << 13  # elements from which their sum is worth two steps

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
        lent: the operands whose memory it may write over.

    Attributes:
        operands: the equations outside that it reads.
        taken: for needed members the operand whose memory they take.
        text: the source of the function that carries out a run of tiles.
    """

    def __init__(
        self, group: Group, needed: Sequence[Equation], names: Names, title: str, lent: AbstractSet[Equation]
    ) -> None:
        self.group, self.needed, self.title, self.names = group, list(needed), title, names
        group.keep(needed)
        self.layout = layout(group, needed)
        self.merged = self.layout.merged
        self.length = math.prod(group.shape[: self.merged])
        widest = max([math.prod(e.shape) for e in group.members]) // self.length
        item = max([e.dtype.itemsize for e in group.members])
        most = max(1, (TURNED * TILE_BYTES if self.layout.last else TILE_BYTES) // item // max(1, widest))
        self.threads = widest * self.length >= THREADED
        tiles = max(-(-self.length // most), _PARTS if self.threads else 1)
        step = -(-self.length // tiles)  # tiles of about the same size
        self.step = step if step < 2 * _ROW else -(-step // _ROW) * _ROW
        self.operands: list[Equation] = []
        self.views: list[Callable[[Any], Any]] = []  # how the tiles see each
        self._labels: dict[Any, str] = {}
        self._head: list[str] = []
        self._tile: list[str] = []
        self._units: dict[tuple[int, np.dtype], np.ndarray] = {}
        self.taken: dict[Equation, Equation] = {}
        free = set() if self.layout.last else {x for x in lent if self._is_cut(x)}
        self._dots = summed_products(group, needed, self.layout, self._stretches(), self.step)
        self._factors: dict[Equation, tuple[str, str]] = {}  # the operands of these products, as they are written
        self._angles = angles(group.members)
        self._reads = self._operands_by_member()
        self._buffers = Buffers(self._reads, self.merged, lambda x: self._labels[x, True, None] if x in free else None)
        self.local = threading.local()
        self.text = self._write()

    def _operands_by_member(self) -> dict[Equation, tuple]:
        """What is read where a member is written: the operands of a product that a row's sum forms, there."""
        reads = {e: e.inputs for e in self.group.members} | dict.fromkeys(self._angles.values(), ())
        for e, total in self._dots.items():
            if total in reads:
                reads[e], reads[total] = (), e.inputs
        return reads

    def _write(self) -> str:
        """The source of the function of a range of tiles."""
        reductions = list(self.group.reductions)
        place = {e: f"out{n}" for n, e in enumerate(self.needed)}
        label: dict[Equation, str] = {}
        at_once: dict[Equation, str] = {}  # where the other of a pair of angles lies
        lines: list[str] = []
        for n, e in enumerate(self.group.members):
            args = [label[i] if type(i) is Equation and i in label else self._operand(i, e) for i in e.inputs]
            name = label[e] = f"y{n}"
            if e in self._dots:
                self._factors[e] = args[0], args[-1]
                lines += [self._reduction(k, r, name) for k, r in enumerate(reductions) if r.inputs[0] is e]
                self._buffers.release(n, self._reads[e])
                continue
            out = self.layout.tile(place[e]) if e in place else None
            if e in at_once:  # it has been written with the other of its pair
                lines.append(f"{name} = {at_once[e]}")
            elif e in self._angles:
                self._buffers.release(n, self._reads[e])
                other = self._angles[e]
                at_once[other] = self._place(other, self.layout.tile(place[other]) if other in place else None)
                lines.append(f"{name} = {self._place(e, out)}")
                pair = (name, at_once[other]) if e.primitive is elementwise.sin else (at_once[other], name)
                lines.append(f"{self.names.of(sine_and_cosine, 'sine_and_cosine')}({args[0]}, {', '.join(pair)})")
            elif self._writes(e, out):
                self._buffers.release(n, self._reads[e])
                lines.append(f"{name} = {self._into(e, args, out)}")
            else:
                call = self._call(e, args)
                lines += [f"{name} = {call}"] if out is None else [f"{name} = {out}", f"{name}[...] = {call}"]
                self._buffers.release(n, self._reads[e])
            lines += [self._reduction(k, r, name) for k, r in enumerate(reductions) if r.inputs[0] is e]
            if not self._buffers.read(e):
                self._buffers.release(n, [e])
        head = [f"{out} = outs[{n}]" for n, out in enumerate(place.values())]
        slices = [f"b{n} = {self._buffer(n, rest)}" for n, (_, rest) in enumerate(self._buffers.kinds)]
        body = "".join(f"        {line}\n" for line in (*self._tile, *slices, *lines))
        start = "".join(f"    {line}\n" for line in (*self._head, *head))
        return (
            f"def {self.title}(start, stop, operands, outs, buffers, parts):\n{start}"
            f"    for i in range(start, stop, {self.step}):\n        j = min(i + {self.step}, stop)\n{body}"
        )

    def _writes(self, e: Equation, out: str | None) -> bool:
        """Whether a member is computed where it is to be."""
        takes = isinstance(e.primitive.impl, np.ufunc) or (e.primitive is index.where and e.dtype.char in "fd")
        return takes and self._exact(e) and (out is None or e.primitive not in NO_GAPS)

    def _into(self, e: Equation, args: Sequence[str], out: str | None) -> str:
        """The call of what writes into a tile of what is needed, or into a buffer: a ufunc, or a choice."""
        out = self._place(e, out)
        where = "out=" if e.primitive in (elementwise.maximum, elementwise.minimum) else ""  # NumPy asks for it
        return f"{self.names.of(e.primitive.impl, e.primitive.name)}({', '.join(args)}, {where}{out})"

    def _place(self, e: Equation, out: str | None) -> str:
        """Where a member is written: into a tile of what is needed, or into a buffer."""
        if out is None:
            return self._buffers.buffer(e)
        if (lender := self._buffers.lender(e)) is not None:
            self.taken[e] = lender
        return out

    def _is_cut(self, x: Equation) -> bool:
        """Whether all members that read an operand read it row by row, and none gives a view of it."""
        readers = [e for e in self.group.members if any(i is x for i in e.inputs)]
        return all(cut(x.shape, e) and e.primitive not in (*VIEWS, structural.roll) for e in readers)

    def _buffer(self, n: int, rest: tuple[int, ...]) -> str:
        """A buffer for the rows from i to j, without gaps."""
        if not self.layout.last:
            return f"buffers[{n}][:j - i]"
        size = math.prod(rest)
        part = f"buffers[{n}][:{size} * (j - i)]" if size > 1 else f"buffers[{n}][:j - i]"
        return f"{part}.reshape({self._shape(rest)})" if rest else part

    def _shape(self, rest: Sequence[int]) -> str:
        """The shape of a tile, as Python."""
        return "(" + ", ".join(map(str, self.layout.shape("j - i", [0] * self.merged + list(rest)))) + ",)"

    def _exact(self, e: Equation) -> bool:
        """Whether the result on a tile has the shape of the rows: an operand of rows makes it so."""
        return any(cut(shape_of(i), e) for i in e.inputs)

    def _operand(self, x: Any, e: Equation) -> str:
        """The name in a tile of what comes from outside."""
        if type(x) is not Equation:
            if scalar(x) is not x and np.broadcast_shapes(*[shape_of(scalar(i)) for i in e.inputs]) != e.shape:
                wide = (1,) * (len(e.shape) - len(x.shape)) + x.shape
                return self._everywhere(scalar(x), wide)  # nobody else makes the result as wide
            x = scalar(x)
            if not (isinstance(x, np.ndarray) and cut(x.shape, e)):
                return literal(self.layout.beside(x), "constant", self.names)
            rows = np.ascontiguousarray(x).reshape(self.length, *x.shape[self.merged :])
            name = self.names.of(np.ascontiguousarray(self.layout.turned(rows)), "constant")
            line = f"{name}_rows = {self.layout.tile(name)}"
            if line not in self._tile:
                self._tile.append(line)
            return f"{name}_rows"
        rows_of = cut(x.shape, e)
        if e.primitive is structural.roll and e.params["axes"] == (0,):
            return self._whole(x)
        wide = None if rows_of else self._stretched(x, e)
        known = self._labels.get((x, rows_of, wide))
        if known is not None:
            return known
        n = len(self.operands)
        self.operands.append(x)
        self.views.append(
            partial(self._rows, (self.length, *x.shape[self.merged :])) if rows_of else self._beside(wide)
        )
        self._head.append(f"x{n} = operands[{n}]")
        if rows_of:
            rows = self.layout.tile(f"x{n}")
            if self.layout.last and len(x.shape) > self.merged:
                rows = f"{self.names.of(np.ascontiguousarray, 'ascontiguousarray')}({rows})"
            self._tile.append(f"t{n} = {rows}")
        elif wide is not None:
            self._tile.append(f"t{n} = x{n}[..., : j - i]")
        name = self._labels[x, rows_of, wide] = f"x{n}" if not rows_of and wide is None else f"t{n}"
        return name

    def _everywhere(self, number: Any, shape: tuple[int, ...]) -> str:
        """The name of rows in which all elements are one number."""
        rows = np.broadcast_to(np.asarray(number), (self.step, *shape[self.merged :]))
        name = self.names.of(self.layout.turned(rows), "constant")
        self._tile.append(f"{name}_rows = {name}[{'..., ' if self.layout.last else ''}: j - i]")
        return f"{name}_rows"

    def _whole(self, x: Equation) -> str:
        """The name of all rows of an operand."""
        if (x, "whole") not in self._labels:
            n = len(self.operands)
            self.operands.append(x)
            self.views.append(partial(self._rows, (self.length, *x.shape[self.merged :])))
            self._head.append(f"x{n} = operands[{n}]")
            self._labels[x, "whole"] = f"x{n}"
        return self._labels[x, "whole"]

    def _stretched(self, x: Equation, e: Equation) -> tuple[int, ...] | None:
        """The shape to which what is the same for all rows is stretched before the first tile, if that is worth it.

        Where the rows come last NumPy would begin a loop for each of its elements, in every tile.
        """
        if not self._stretches() or math.prod(x.shape) == 1:
            return None
        return self.layout.shape(self.step, e.shape)

    def _stretches(self) -> bool:
        return self.layout.last and self.length > self.step

    def _rows(self, shape: tuple[int, ...], x: np.ndarray) -> np.ndarray:
        return self.layout.turned(x.reshape(shape))

    def _beside(self, wide: tuple[int, ...] | None) -> Callable[[Any], Any]:
        if wide is None:
            return self.layout.beside
        return lambda x: np.broadcast_to(self.layout.beside(x), wide).copy()

    def _call(self, e: Equation, args: list[str]) -> str:
        """A member that has no out= as an expression on one tile."""
        p, at, params = e.primitive, self.layout, e.params
        if p is structural.roll:
            (shift,), (axis,) = params["shift"], params["axes"]
            if axis == 0:
                shift = shift * math.prod(e.shape[1 : at.merged]) % self.length
                return f"{self.names.of(rows_from, 'rows')}({args[0]}, i - {shift}, j - {shift})"
            return f"{self.names.of(roll_within, 'roll')}({args[0]}, {shift % e.shape[axis]}, {at.axes((axis,))[0]})"
        if p is structural.reshape:
            return f"{args[0]}.reshape({self._shape(e.shape[self.merged :])})"
        if p is structural.broadcast_to:
            stretch = self.names.of(np.broadcast_to, "broadcast_to")
            return f"{stretch}({args[0]}, {self._shape(e.shape[self.merged :])})"
        if p is structural.transpose:
            return f"{args[0]}.transpose({at.permutation(params['axes'])!r})"
        if p in ROW_REDUCTIONS:
            axis = params["axis"]
            params = {**params, "axis": at.axes((axis,))[0] if type(axis) is int else at.axes(axis)}
            if p in _COMBINE:
                keep = bool(params.get("keepdims"))
                if e.inputs[0] in self._dots:
                    return self._vecdot(e.inputs[0]) + ("[..., None]" if keep else "")
                long = e.inputs[0].shape[-1]
                if (
                    p is reduce.reduce_sum
                    and not at.last
                    and axis == (len(e.inputs[0].shape) - 1,)
                    and e.dtype.char in "fd"
                    and 1 < long <= _SHORT
                ):
                    # a product with ones is two to five times faster than NumPy's sum of short rows
                    ones = self.names.of(self._ones(long, e.dtype), "ones")
                    total = f"{self.names.of(np.matmul, 'matmul')}({args[0]}, {ones})"
                    return f"{total}[..., None]" if keep else total
                axes = params["axis"]
                x = e.inputs[0]
                same = p is reduce.reduce_sum and x.dtype == e.dtype
                if same and at.last and len(axes) == 1 and 1 < x.shape[axis[0]] <= _FEW:
                    return f"{self.names.of(added, 'added')}({args[0]}, {axes[0]}, {keep})"
                if same and at.last and axis == (len(x.shape) - 1,) and e.dtype.char in "fd" and 1 < long <= _SHORT:
                    # the axis before that of the rows: each sum is a product with ones, in half the time
                    ones = self.names.of(self._ones(long, e.dtype), "ones")
                    total = f"{self.names.of(np.matmul, 'matmul')}({ones}, {args[0]})"
                    return f"{total}[..., None, :]" if keep else total
                if (
                    p is not reduce.reduce_sum
                    and not at.last
                    and axis == (len(x.shape) - 1,)
                    and long <= reduce.SHORT_ROWS
                ):
                    return f"{self.names.of(p.impl, p.name)}({args[0]}, {axes!r}, {keep})"
                return f"{self.names.of(_COMBINE[p], p.name)}({args[0]}, {axes!r}, None, None, {keep})"
        if p is structural.astype and e.inputs[0].dtype.kind != "c":
            return f"{args[0]}.astype({self.names.of(e.dtype, e.dtype.name)})"
        if p in (elementwise.real, elementwise.imag):  # a view of what may be written over
            return f"{args[0]}.{p.name}.copy()"
        words = args + [f"{name}={literal(v, name, self.names)}" for name, v in params.items()]
        return f"{self.names.of(p.impl, p.name)}({', '.join(words)})"

    def _vecdot(self, product: Equation) -> str:
        return f"{self.names.of(np.vecdot, 'vecdot')}({', '.join(self._factors[product])})"

    def _ones(self, n: int, dtype: np.dtype) -> np.ndarray:
        known = self._units.get((n, dtype))
        return self._units.setdefault((n, dtype), np.ones(n, dtype)) if known is None else known

    def _reduction(self, n: int, r: Equation, arg: str) -> str:
        return f"parts[{n}].append({self._reduced(r, arg)})"

    def _reduced(self, r: Equation, arg: str) -> str:
        """A reduction over the rows of one tile; its shape may be flat."""
        shape, at = r.inputs[0].shape, self.layout
        inside = at.axes([a for a in r.params["axis"] if a >= at.merged])
        axes = tuple(sorted((at.row_axis(shape), *inside)))
        every = len(axes) == len(shape) - at.merged + 1
        if r.inputs[0] in self._dots:
            if every:
                return f"{self.names.of(total_product, 'total_product')}({', '.join(self._factors[r.inputs[0]])})"
            return self._vecdot(r.inputs[0])
        if r.primitive is reduce.reduce_sum and r.dtype.char in "fd":
            if every and self.step * math.prod(shape[at.merged :]) >= _LONG:
                return f"{self.names.of(total, 'total')}({arg})"
            if not every and not inside and self.step <= _SHORT:
                ones = f"{self.names.of(self._ones(self.step, r.dtype), 'ones')}[:j - i]"
                if at.last:
                    return f"{arg}.reshape(-1, j - i).dot({ones})"
                return f"{ones}.dot({arg}{'' if len(shape) == at.merged + 1 else '.reshape(j - i, -1)'})"
        where = "None" if every else repr(axes)
        return f"{self.names.of(_COMBINE[r.primitive], r.primitive.name)}({arg}, {where})"

    def function(self, run_range: Callable) -> Callable[..., Any]:
        """The group as a function of raw operands, which gives the needed results and then the reductions."""
        needed, reductions = self.needed, list(self.group.reductions)
        length, step, at, kinds = self.length, self.step, self.layout, self._buffers.kinds
        tiles = -(-length // step)
        taken = [self.operands.index(self.taken[e]) if e in self.taken else None for e in needed]
        size = buffer_for(step if at.last else max([e.shape[-1] for e in self.group.members]))
        whole = [(length, *e.shape[at.merged :]) for e in needed]

        def buffers() -> list[np.ndarray]:
            found = getattr(self.local, "buffers", None)
            if found is None:
                shapes = [(step * math.prod(rest),) if at.last else (step, *rest) for _, rest in kinds]
                found = self.local.buffers = [np.empty(s, d) for s, (d, _) in zip(shapes, kinds, strict=True)]
            return found

        def run(*operands: Any) -> list[Any]:
            given = [view(x) for view, x in zip(self.views, operands, strict=True)]
            results: list[Any] = [
                np.empty(e.shape, e.dtype) if n is None else given[n].reshape(e.shape)
                for e, n in zip(needed, taken, strict=True)
            ]
            outs = [at.turned(r.reshape(s)) for r, s in zip(results, whole, strict=True)]

            def work(start: int, stop: int) -> list[list[Any]]:
                parts: list[list[Any]] = [[] for _ in reductions]
                with buffers_of(size):
                    run_range(start, stop, given, outs, buffers(), parts)
                return parts

            count = min(pool.size, tiles) if self.threads else 1
            edges = [(tiles * n // count) * step for n in range(count)] + [length]
            found = pool.run(work, list(itertools.pairwise(edges)))
            for n, r in enumerate(reductions):
                combined = _COMBINE[r.primitive]([p for parts in found for p in parts[n]], axis=0)
                results.append(
                    combined.astype(r.dtype, copy=False).reshape(r.shape) if r.shape else r.dtype.type(combined)
                )
            return results

        return run


def rows_from(x: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Rows of an array in which the first follows the last."""
    first = start % len(x)
    last = first + stop - start
    return x[first:last] if last <= len(x) else np.concatenate((x[first:], x[: last - len(x)]))


def roll_within(x: np.ndarray, shift: int, axis: int) -> np.ndarray:
    """An array shifted along an axis by a number of elements that it has; always a new one, for x is written over."""
    before = (slice(None),) * axis
    if not shift:
        return x.copy()
    return np.concatenate((x[(*before, slice(-shift, None))], x[(*before, slice(-shift))]), axis)


def added(x: np.ndarray, axis: int, keepdims: bool) -> np.ndarray:
    """The sum over an axis of few elements that is not the last, with fewer loops than NumPy's."""
    before = (slice(None),) * axis
    found = x[(*before, 0)] + x[(*before, 1)]
    for n in range(2, x.shape[axis]):
        found += x[(*before, n)]
    return found[(*before, None)] if keepdims else found


def total(x: np.ndarray) -> Any:
    """The sum of all elements: of rows by a product with ones, which is NumPy's fastest sum, and of these pairwise."""
    flat = x.reshape(-1)
    n = flat.size // _ROW * _ROW
    found = np.add.reduce(flat[:n].reshape(-1, _ROW).dot(_ONES[x.dtype.char]))
    return found + np.add.reduce(flat[n:]) if n < flat.size else found


_ROW = 1 << 9
_ONES = {char: np.ones(_ROW, char) for char in "fd"}
