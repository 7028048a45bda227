"""What a program costs: operations, memory traffic, and the most memory that it holds at a time.

The numbers are those of the tape, as if each equation were carried out by itself and read its operands from memory; a
backend that works in tiles moves less.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, index, structural
from funcgrad.transforms.bodies import TapeBody

_MOVES = frozenset(
    {structural.reshape, structural.transpose, structural.broadcast_to, structural.stop, structural.name, index.getitem}
)


class Cost(NamedTuple):
    """What a program costs.

    Attributes:
        equations: how many there are.
        flops: arithmetic operations on elements; a function such as sin counts as one.
        bytes_read, bytes_written: of all operands, and of all results.
        peak_bytes: of the arguments, and of the results that are there at the same time, at most.
        outside: the operations of a program with machine code that NumPy carries out; None of one without.
    """

    equations: int
    flops: int
    bytes_read: int
    bytes_written: int
    peak_bytes: int
    outside: tuple[str, ...] | None = None


def cost(tape: Tape) -> Cost:
    """The cost of a tape from make_tape or jit."""
    equations = [e for e in tape.equations if e.primitive.name != "item"]
    held = now = sum([_bytes(e) for e in tape.inputs])
    for e, dead in zip(tape.equations, tape.last_uses(), strict=True):
        now += 0 if e.primitive.name == "item" else _bytes(e)
        held = max(held, now)
        now -= sum([_bytes(i) for i in dead if i.plan is not None and i.primitive.name != "item"])
    return Cost(
        len(equations),
        sum([_flops(e) for e in equations]),
        sum([_bytes(i) for e in equations for i in e.inputs]),
        sum([_bytes(e) for e in equations]),
        held,
    )


def _flops(e: Equation) -> int:
    p = e.primitive
    if not isinstance(p, Primitive) or p in _MOVES or p.multiple:
        return sum([cost(t).flops for t in _tapes(p)])
    sizes = [math.prod(shape_of(i)) for i in e.inputs]
    out = math.prod(e.shape)
    if p is contract.matmul:
        return 2 * out * shape_of(e.inputs[0])[-1]
    return max([out, *sizes]) if sizes else out


def _tapes(p: Any) -> list[Tape]:
    body = getattr(p, "body", None)
    return [body.tape] if isinstance(body, TapeBody) else []


def _bytes(x: Any) -> int:
    """The bytes of an operand or of the results of an equation."""
    if type(x) is Equation and isinstance(x.dtype, tuple):
        return sum([math.prod(s) * d.itemsize for s, d in zip(x.shape, x.dtype, strict=True)])
    return math.prod(shape_of(x)) * np.dtype(dtype_of(x)).itemsize
