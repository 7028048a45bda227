"""Loops over the rows of arrays in machine code."""

from __future__ import annotations

from collections.abc import Sequence

from funcgrad.compile.native.carries import Carry, Planner, RegisterCarry, loaded, pause, put
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.numbers import Registers
from funcgrad.compile.native.places import Place, array
from funcgrad.compile.native.regions import Region
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.scan_body import Scan


class ArrayScan:
    """A loop whose step is a plan.

    Arguments:
        scan: the loop, whose step is a tape.
        given: where its operands lie.
        plan: makes a plan of the step.

    Attributes:
        last: where what it carries lies after the last step.
        rows: where the rows that it gives go; to be filled before it is written.
        own: the memory that it needs.
    """

    def __init__(self, scan: Scan, given: Sequence[Place], plan: Planner) -> None:
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        self._scan, self._init, self._xs = scan, given[n:m], given[m:]
        self._carry = Carry(tape.inputs[n:m])
        self._row = [_part(x)._replace(region=Region()) for x in self._xs]
        self._made = [array(Region(), shape_of(y), dtype_of(y)) for y in tape.outputs[scan.carry :]]
        now = self._carry.now
        self._plan = plan(tape, [*given[:n], *now, *self._row], [*self._carry.later, *self._made], now)
        self._carry.stays |= self._plan.stays
        self.last, self.rows = self._carry.last, list[Place]()
        self.own = [self._plan.work, *self._carry.own]

    def write(self, f: Function) -> None:
        """Write the loop."""
        scan, begin = self._scan, self._carry.begin(f, self._init)
        arrays = [(p, p.pointer(f)) for p in (*self._xs, *self.rows)]

        def step(i: Value, pointers: Sequence[Value]) -> list[Value]:
            pause(f, i, scan.step.tape)
            row = f.binary("sub", f.constant(scan.length - 1, "i64", 1), i) if scan.reverse else i
            for part, (whole, start) in zip((*self._row, *self._made), arrays, strict=True):
                part.region.base = _row(f, whole, start, row)
            after = self._carry.enter(pointers)
            self._plan.write(f)
            return after

        start, stop = f.constant(0, "i64", 1), f.constant(scan.length, "i64", 1)
        self._carry.end(f.loop(start, stop, 1, begin, step))


class RegisterScan:
    """A loop whose step is a program of numbers; arguments and attributes as for `ArrayScan`."""

    def __init__(self, scan: Scan, given: Sequence[Place]) -> None:
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        self._scan, self._constants, self._init, self._xs = scan, given[:n], given[n:m], given[m:]
        self._carry = RegisterCarry(tape.inputs[n:m])
        self.last, self.own = self._carry.last, self._carry.own
        self.rows: list[Place] = []

    def write(self, f: Function) -> None:
        """Write the loop."""
        scan, registers, carry = self._scan, Registers(f), self._carry
        constants = [loaded(f, p, p.pointer(f)) for p in self._constants]
        begin = carry.begin(f, self._init)
        xs, ys = [[(p, p.pointer(f)) for p in ps] for ps in (self._xs, self.rows)]

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            pause(f, i, scan.step.tape)
            row = f.binary("sub", f.constant(scan.length - 1, "i64"), i) if scan.reverse else i
            given = [loaded(f, _part(p), _row(f, p, start, row)) for p, start in xs]
            outputs = registers.rows(scan.step.tape, [*constants, *carry.arrays(now), *given])
            for (p, start), y in zip(ys, outputs[scan.carry :], strict=True):
                put(f, _part(p), _row(f, p, start, row), y)
            return [x for o in outputs[: scan.carry] for x in o]

        start, stop = f.constant(0, "i64"), f.constant(scan.length, "i64")
        carry.end(f, f.loop(start, stop, 1, begin, step))


def _part(p: Place) -> Place:
    """A row of an array."""
    return Place(p.region, p.shape[1:], p.dtype, p.strides[1:])


def _row(f: Function, p: Place, start: Value, row: Value) -> Value:
    """Where a row of an array begins."""
    return f.address(start, f.let(f"mul {row}, {p.strides[0]}", "i64", 1), p.kind)
