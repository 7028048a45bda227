"""Loops in machine code that go on as long as a function says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from funcgrad.compile.native.carries import Carry, Planner, RegisterCarry, loaded, pause
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import SIZES, Function, Value
from funcgrad.compile.native.numbers import Registers
from funcgrad.compile.native.places import Place, array
from funcgrad.compile.native.regions import Region
from funcgrad.core.types import dtype_of
from funcgrad.lax.while_body import While

_BOOL = np.dtype(bool)


class ArrayWhile:
    """A loop whose step is a plan.

    Arguments:
        loop: the loop, whose bodies are tapes.
        given: where its operands lie.
        plan: makes a plan of a tape.

    Attributes:
        last: where what it carries lies in the end.
        own: the memory that it needs.
    """

    def __init__(self, loop: While, given: Sequence[Place], plan: Planner) -> None:
        self._body = step = loop.step.tape
        n = loop.constants
        self._init, self._carry = given[n:], Carry(step.inputs[n:])
        self._answer = array(Region(SIZES["i64"]), (), dtype_of(loop.decide.tape.outputs[0]))
        now = self._carry.now
        known = [*given[:n], *now]
        self._decide, self._step = (
            plan(loop.decide.tape, known, [self._answer]),
            plan(step, known, self._carry.later, now),
        )
        self._carry.stays |= self._step.stays
        self.last = self._carry.last
        self.own = [self._answer.region, self._decide.work, self._step.work, *self._carry.own]

    def write(self, f: Function) -> None:
        """Write the loop."""
        begin = self._carry.begin(f, self._init)

        def goes_on(pointers: Sequence[Value]) -> Value:
            self._carry.enter(pointers)
            self._decide.write(f)
            answer = f.load(self._answer.pointer(f), self._answer.kind, 1)
            return convert(f, answer, self._answer.dtype, _BOOL)

        def step(i: Value, pointers: Sequence[Value]) -> list[Value]:
            pause(f, i, self._body)
            after = self._carry.enter(pointers)
            self._step.write(f)
            return after

        zero = f.constant(0, "i64", 1)
        self._carry.end(f.loop(zero, zero, 1, begin, step, goes_on))


class RegisterWhile:
    """A loop whose bodies are programs of numbers; arguments and attributes as for `ArrayWhile`."""

    def __init__(self, loop: While, given: Sequence[Place]) -> None:
        self._loop, self._given = loop, given
        self._carry = RegisterCarry(loop.step.tape.inputs[loop.constants :])
        self.last, self.own = self._carry.last, self._carry.own

    def write(self, f: Function) -> None:
        """Write the loop."""
        loop, registers, carry = self._loop, Registers(f), self._carry
        constants = [loaded(f, p, p.pointer(f)) for p in self._given[: loop.constants]]
        begin = carry.begin(f, self._given[loop.constants :])

        def goes_on(now: Sequence[Value]) -> Value:
            ((answer,),) = registers.rows(loop.decide.tape, [*constants, *carry.arrays(now)])
            return registers.as_kind(answer, "i1")

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            pause(f, i, loop.step.tape)
            return [x for o in registers.rows(loop.step.tape, [*constants, *carry.arrays(now)]) for x in o]

        zero = f.constant(0, "i64", 1)
        carry.end(f, f.loop(zero, zero, 1, begin, step, goes_on))
