"""Loops over rows in machine code: what is carried stays in registers, or changes between two places in memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from funcgrad.compile.native.calls import INTERRUPTED, others_running
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Value
from funcgrad.compile.native.numbers import KINDS, MOST, MOST_ARRAYS, Registers
from funcgrad.compile.native.places import Place, array
from funcgrad.compile.native.regions import Region
from funcgrad.compile.native.sweeps import copy, cut
from funcgrad.compile.numpy_backend.numbers import kind_of, numbers_in
from funcgrad.core.tape import Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.scan_body import Scan

STEPS = 1 << 10  # of a loop, after which others get their turn


class Steps(Protocol):
    """The plan of a tape.

    Attributes:
        work: the memory that it needs.
    """

    work: Region

    def write(self, f: Function) -> None:
        """Write all steps."""


def fits_registers(tape: Tape) -> bool:
    """Whether a tape is a program of numbers that is not too long."""
    numbers = numbers_in(tape)
    return (
        numbers is not None
        and numbers <= MOST
        and len(tape.inputs) + len(tape.outputs) <= MOST_ARRAYS
        and all(kind_of(o) in KINDS for o in tape.outputs)
    )


class ArrayScan:
    """A loop whose step is a plan.

    Arguments:
        scan: the loop, whose step is a tape.
        given: where its operands lie.
        plan: makes a plan of a tape, and of where its inputs and its results lie.

    Attributes:
        last: where what it carries lies after the last step.
        rows: where the rows that it gives go; to be filled before it is written.
        own: the memory that it needs.
    """

    def __init__(
        self, scan: Scan, given: Sequence[Place], plan: Callable[[Tape, Sequence[Place], Sequence[Place]], Steps]
    ) -> None:
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        carry, ys = tape.inputs[n:m], tape.outputs[scan.carry :]
        self._scan, self._init, self._xs = scan, given[n:m], given[m:]
        sizes = [math.prod(c.shape) * SIZES[TYPES[c.dtype]] for c in carry]
        self._buffers = [
            [array(Region(size), c.shape, c.dtype) for _ in range(2)] for c, size in zip(carry, sizes, strict=True)
        ]
        self._now, self._next = [[array(Region(), c.shape, c.dtype) for c in carry] for _ in range(2)]
        self._row = [_part(x)._replace(region=Region()) for x in self._xs]
        self._made = [array(Region(), shape_of(y), np.dtype(dtype_of(y))) for y in ys]
        self._plan = plan(tape, [*given[:n], *self._now, *self._row], [*self._next, *self._made])
        both = [tuple([p.region for p in pair]) for pair in self._buffers]
        self.last = [array(Region(behind=b), c.shape, c.dtype) for b, c in zip(both, carry, strict=True)]
        self.rows: list[Place] = []
        self.own = [self._plan.work, *[m for b in both for m in b]]

    def write(self, f: Function) -> None:
        """Write the loop. What is carried lies in two buffers, which change their roles after each step."""
        for (first, _), init in zip(self._buffers, self._init, strict=True):
            copy(f, first, init)
        scan, begin = self._scan, [p.pointer(f) for pair in self._buffers for p in pair]
        arrays = [(p, p.pointer(f)) for p in (*self._xs, *self.rows)]
        parts = [*self._row, *self._made]

        def step(i: Value, pointers: Sequence[Value]) -> list[Value]:
            pause(f, i)
            row = f.binary("sub", f.constant(scan.length - 1, "i64", 1), i) if scan.reverse else i
            for part, (whole, start) in zip(parts, arrays, strict=True):
                part.region.base = _row(f, whole, start, row)
            for k, (now, later) in enumerate(zip(self._now, self._next, strict=True)):
                now.region.base, later.region.base = pointers[2 * k : 2 * k + 2]
            self._plan.write(f)
            return [p for k in range(0, len(pointers), 2) for p in (pointers[k + 1], pointers[k])]

        found = f.loop(f.constant(0, "i64", 1), f.constant(scan.length, "i64", 1), 1, begin, step)
        for k, place in enumerate(self.last):
            place.region.base = found[2 * k]


class RegisterScan:
    """A loop whose step is a program of numbers; arguments and attributes as for `ArrayScan`."""

    def __init__(self, scan: Scan, given: Sequence[Place]) -> None:
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        self._scan, self._before, self._xs = scan, given[:m], given[m:]
        kinds = [(c.shape, c.dtype) for c in tape.inputs[n:m]]
        self.last = [array(Region(math.prod(shape) * SIZES[TYPES[dtype]]), shape, dtype) for shape, dtype in kinds]
        self.rows: list[Place] = []
        self.own = [p.region for p in self.last]

    def write(self, f: Function) -> None:
        """Write the loop."""
        scan, registers = self._scan, Registers(f)
        before = [_loaded(f, p, p.pointer(f)) for p in self._before]
        constants, carry = before[: scan.constants], before[scan.constants :]
        sizes = [len(c) for c in carry]
        xs, ys = [[(p, p.pointer(f)) for p in ps] for ps in (self._xs, self.rows)]

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            pause(f, i)
            row = f.binary("sub", f.constant(scan.length - 1, "i64"), i) if scan.reverse else i
            given = [_loaded(f, _part(p), _row(f, p, start, row)) for p, start in xs]
            outputs = registers.rows(scan.step.tape, [*constants, *cut(now, sizes), *given])
            for (p, start), y in zip(ys, outputs[scan.carry :], strict=True):
                _put(f, _part(p), _row(f, p, start, row), y)
            return [x for o in outputs[: scan.carry] for x in o]

        start, stop = f.constant(0, "i64"), f.constant(scan.length, "i64")
        found = f.loop(start, stop, 1, [x for c in carry for x in c], step)
        for p, x in zip(self.last, cut(found, sizes), strict=True):
            _put(f, p, p.pointer(f), x)


def _part(p: Place) -> Place:
    """A row of an array."""
    return Place(p.region, p.shape[1:], p.dtype, p.strides[1:])


def _row(f: Function, p: Place, start: Value, row: Value) -> Value:
    """Where a row of an array begins."""
    return f.address(start, f.let(f"mul {row}, {p.strides[0]}", "i64", 1), p.kind)


def _places(p: Place) -> list[int]:
    """How many elements behind the first one each of an array lies."""
    return [sum([i * s for i, s in zip(at, p.strides, strict=True)]) for at in np.ndindex(p.shape)]


def _loaded(f: Function, p: Place, start: Value) -> list[Value]:
    """The elements of an array in registers."""
    return [f.load(f.address(start, f.constant(n, "i64", 1), p.kind), p.kind, 1) for n in _places(p)]


def _put(f: Function, p: Place, start: Value, xs: Sequence[Value]) -> None:
    """Write the elements of an array."""
    for n, x in zip(_places(p), xs, strict=True):
        f.store(x, f.address(start, f.constant(n, "i64", 1), x.kind))


def pause(f: Function, i: Value) -> None:
    """Every so many steps of a loop: let other threads run, and see to interrupts, which end the function."""
    name, most = f"pause{f.fresh()}", f.constant(STEPS - 1, "i64", 1)
    due = f.compare("eq", f.binary("and", i, most), most)
    f.line(f"br {due}, label %{name}, label %{name}.over")
    f.label(name)
    with others_running(f):
        pass
    calm = f.compare("eq", f.call("PyErr_CheckSignals", "i32", 1), f.constant(0, "i32", 1))
    f.line(f"br {calm}, label %{name}.over, label %{name}.stop")
    f.label(f"{name}.stop")
    f.line(f"ret i32 {INTERRUPTED}")
    f.label(f"{name}.over")
