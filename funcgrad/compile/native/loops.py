"""Loops of numbers in machine code: what is carried stays in registers, rows are read and written where they lie."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.calls import Entry, builtin
from funcgrad.compile.native.ir import Module, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.numbers import KINDS, MOST, MOST_ARRAYS, Registers
from funcgrad.compile.numpy_backend.numbers import keeps_dtypes, kind_of, numbers_in
from funcgrad.core.tape import Tape
from funcgrad.core.types import shape_of
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While


def loop_part(
    module: Module, body: Scan | While, title: str, with_numpy: Callable[..., tuple]
) -> ScanPart | WhilePart | None:
    """A loop as a function of the module; None if its step is no program of numbers.

    Arguments:
        module: to which the function is added.
        body, title: the loop, and the name of the function.
        with_numpy: does the same on arrays.
    """
    tape, n = body.step.tape, body.constants
    if not _suits(tape):
        return None
    if isinstance(body, While):
        whole = _suits(body.decide.tape) and keeps_dtypes(tape, n, len(tape.outputs))
        return WhilePart(module, body, title, with_numpy) if whole else None
    empty = any(not math.prod(shape_of(x)) for x in (*tape.inputs, *tape.outputs))
    if empty or not body.length or not keeps_dtypes(tape, n, body.carry):
        return None
    return ScanPart(module, body, title, with_numpy)


def _suits(tape: Tape) -> bool:
    numbers = numbers_in(tape)
    return (
        numbers is not None
        and numbers <= MOST
        and len(tape.inputs) + len(tape.outputs) <= MOST_ARRAYS
        and all(kind_of(o) in KINDS for o in tape.outputs)
    )


class _LoopPart:
    """A loop in machine code.

    Arguments:
        module, title, with_numpy: as for `loop_part`.
        inputs: shape and dtype of each argument.
        outputs: how many results there are.
    """

    def __init__(
        self,
        module: Module,
        title: str,
        with_numpy: Callable[..., tuple],
        inputs: Sequence[tuple[tuple[int, ...], np.dtype]],
        outputs: int,
    ) -> None:
        self.entry = Entry(module, title, inputs, outputs)
        self.registers = Registers(self.entry.f)
        self._title, self._inputs, self._with_numpy = title, inputs, with_numpy

    def put_carry(self, last: Sequence[Value], carry: Sequence[Any]) -> None:
        """Make results of what the last step carried on."""
        self.entry.require_finite(last)
        for k, (x, i) in enumerate(zip(_rows(last, carry), carry, strict=True)):
            self.entry.put(k, x, i.shape, i.dtype)

    @property
    def text(self) -> str:
        """The function, as LLVM reads it."""
        return self.entry.module.functions[self._title]

    def function(self, library: Library) -> Callable[..., Any]:
        """The builtin function, which keeps the code alive."""
        return builtin(library, self._title, self._inputs, self._with_numpy)


class ScanPart(_LoopPart):
    """A loop over rows; arguments as for `loop_part`."""

    def __init__(self, module: Module, scan: Scan, title: str, with_numpy: Callable[..., tuple]) -> None:
        tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
        rows = [((scan.length, *x.shape), x.dtype) for x in tape.inputs[m:]]
        inputs = [*[(x.shape, x.dtype) for x in tape.inputs[:m]], *rows]
        super().__init__(module, title, with_numpy, inputs, len(tape.outputs))
        entry, f = self.entry, self.entry.f
        before = [entry.elements(k, x.shape) for k, x in enumerate(tape.inputs[:m])]
        carry, ys = tape.inputs[n:m], tape.outputs[scan.carry :]
        entry.begin_results()
        places = [
            entry.put_array(k, (scan.length, *shape_of(y)), kind_of(y)) for k, y in enumerate(ys, start=scan.carry)
        ]

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            *now, total = now
            entry.pause(i)
            row = f.binary("sub", f.constant(scan.length - 1, "i64"), i) if scan.reverse else i
            xs = [entry.elements(k, x.shape, row) for k, x in enumerate(tape.inputs[m:], start=m)]
            outputs = self.registers.rows(tape, [*before[:n], *_rows(now, carry), *xs])
            for place, y in zip(places, outputs[scan.carry :], strict=True):
                at = entry.row(place, row, y[0].kind, len(y))
                for k, x in enumerate(y):
                    f.store(x, f.address(at, f.constant(k, "i64"), x.kind))
                    total = f.binary("fadd", total, x) if x.kind == "double" else total
            return [*[x for o in outputs[: scan.carry] for x in o], total]

        first = [x for xs in before[n:] for x in xs]
        start, stop = [f.constant(k, "i64") for k in (0, scan.length)]
        *last, total = f.loop(start, stop, 1, [*first, f.constant(0.0, "double")], step)
        entry.require_finite([total])
        self.put_carry(last, carry)
        entry.finish()


class WhilePart(_LoopPart):
    """A loop that goes on as long as a function says so; arguments as for `loop_part`."""

    def __init__(self, module: Module, loop: While, title: str, with_numpy: Callable[..., tuple]) -> None:
        tape, n = loop.step.tape, loop.constants
        super().__init__(module, title, with_numpy, [(x.shape, x.dtype) for x in tape.inputs], len(tape.outputs))
        entry, f, carry = self.entry, self.entry.f, tape.inputs[n:]
        before = [entry.elements(k, x.shape) for k, x in enumerate(tape.inputs)]
        entry.begin_results()

        def goes_on(now: Sequence[Value]) -> Value:
            ((answer,),) = self.registers.rows(loop.decide.tape, [*before[:n], *_rows(now, carry)])
            return self.registers.as_kind(answer, "i1")

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            entry.pause(i)
            return [x for o in self.registers.rows(tape, [*before[:n], *_rows(now, carry)]) for x in o]

        zero = f.constant(0, "i64")
        last = f.loop(zero, zero, 1, [x for xs in before[n:] for x in xs], step, goes_on)
        self.put_carry(last, carry)
        entry.finish()


def _rows(flat: Sequence[Value], carry: Sequence[Any]) -> list[Sequence[Value]]:
    """The elements of each array that is carried."""
    found, at = [], 0
    for x in carry:
        found.append(flat[at : at + math.prod(x.shape)])
        at += math.prod(x.shape)
    return found
