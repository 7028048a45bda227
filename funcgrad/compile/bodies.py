"""Bodies in bodies: the steps of loops, branches and checkpointed functions on a compiled tape run compiled too.

An operation of control flow holds tapes, or what transforms have made of tapes. When a kernel is made, each of those
tapes is replaced by a call of a compiled function. Where the loop runs on plain values a step is one kernel call. In
the derivative of a loop, which runs the steps on tracers, a step is one equation, whose derivative is compiled in its
turn.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from funcgrad.compile.rewrite import rewrite
from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call


def with_compiled_bodies(tape: Tape, make: Callable[[Tape], Any]) -> Tape:
    """A tape whose calls have other bodies.

    Arguments:
        tape: the program.
        make: gives the body to take the place of a tape.
    """

    def rule(e: Equation, inputs: tuple) -> Any:
        if not isinstance(e.primitive, Call):
            return None
        body = _replaced(e.primitive.body, make)
        if body is e.primitive.body:
            return None
        call = copy.copy(e.primitive)
        call.body = body
        return equation(e.number, Symbol(call, len(inputs)), inputs, e.params, (), e.shape, e.dtype)

    return rewrite(tape, rule)


def _replaced(body: Any, make: Callable[[Tape], Any]) -> Any:
    """A body in which every tape, however deep, has been replaced; the same object if there is none."""
    if type(body) is TapeBody:
        return make(body.tape)
    if isinstance(body, tuple):
        items = [_replaced(b, make) for b in body]
        return body if all(a is b for a, b in zip(items, body, strict=True)) else tuple(items)
    if not hasattr(body, "kinds") or isinstance(body, TapeBody):  # nothing but bodies has it
        return body
    found = body
    for slot in [s for cls in type(body).__mro__ for s in getattr(cls, "__slots__", ())]:
        part = getattr(body, slot)
        other = _replaced(part, make)
        if other is not part:
            found = copy.copy(body) if found is body else found
            setattr(found, slot, other)
    return found
