"""Loops of numbers that go on as long as a function says so: what they carry stays in registers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.compile.native.calls import Entry, builtin
from funcgrad.compile.native.ir import Module, Value
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.native.numbers import Registers
from funcgrad.compile.native.scans import fits_registers
from funcgrad.compile.native.sweeps import cut
from funcgrad.compile.numpy_backend.numbers import keeps_dtypes
from funcgrad.lax.while_body import While


def while_part(module: Module, loop: While, title: str, with_numpy: Callable[..., tuple]) -> WhilePart | None:
    """A loop as a function of the module; None if its step is no program of numbers.

    Arguments:
        module, loop, title: where the function is added, the loop, and the name of the function.
        with_numpy: does the same on arrays.
    """
    tape, decide = loop.step.tape, loop.decide.tape
    whole = fits_registers(tape) and fits_registers(decide) and keeps_dtypes(tape, loop.constants, len(tape.outputs))
    return WhilePart(module, loop, title, with_numpy) if whole else None


class WhilePart:
    """A loop that goes on as long as a function says so; arguments as for `while_part`."""

    def __init__(self, module: Module, loop: While, title: str, with_numpy: Callable[..., tuple]) -> None:
        tape, n = loop.step.tape, loop.constants
        self._title, self._inputs, self._with_numpy = title, [(x.shape, x.dtype) for x in tape.inputs], with_numpy
        entry = Entry(module, title, self._inputs, len(tape.outputs))
        f, carry, registers = entry.f, tape.inputs[n:], Registers(entry.f)
        sizes = [math.prod(c.shape) for c in carry]
        before = [entry.elements(k, x.shape) for k, x in enumerate(tape.inputs)]
        entry.begin_results()

        def goes_on(now: Sequence[Value]) -> Value:
            ((answer,),) = registers.rows(loop.decide.tape, [*before[:n], *cut(now, sizes)])
            return registers.as_kind(answer, "i1")

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            entry.pause(i)
            return [x for o in registers.rows(tape, [*before[:n], *cut(now, sizes)]) for x in o]

        zero = f.constant(0, "i64")
        last = f.loop(zero, zero, 1, [x for xs in before[n:] for x in xs], step, goes_on)
        entry.require_finite(last)
        for k, (x, c) in enumerate(zip(cut(last, sizes), carry, strict=True)):
            entry.put(k, x, c.shape, c.dtype)
        entry.finish()
        self.text = module.functions[title]

    def function(self, library: Library) -> Callable[..., Any]:
        """The builtin function, which keeps the code alive."""
        return builtin(library, self._title, self._inputs, self._with_numpy)
