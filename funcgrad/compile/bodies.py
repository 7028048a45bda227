"""Bodies: what the operations of control flow on a tape hold, made as simple as the tape itself.

A loop, a choice or a checkpoint holds tapes, or what transforms have made of tapes. Before a program is compiled each
of those becomes a plain tape again, after all passes, so that a backend sees nothing else: `Scan`, `While` and
`Branches` of tapes, and calls of a tape. What cannot be had so is the reverse mode of a loop whose length is not known:
it runs the steps on tracers. There a step becomes a call of a compiled function, whose derivative is compiled in its
turn.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.compile.inline import inline
from funcgrad.compile.passes import simplified
from funcgrad.compile.passes.loops import loops
from funcgrad.compile.passes.rolling import rolled
from funcgrad.compile.rewrite import rewrite
from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.lax.branches import Branches, OfThoseWhoTakeIt, Zeros
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward, TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close


def simplify(tape: Tape) -> Tape:
    """A program and all that it holds, after all passes."""
    tape = _with_bodies(rolled(inline(tape)), lambda call, kinds: _simple(call.body, kinds))
    tape = simplified(_with_bodies(loops(tape), lambda call, _: _again(call.body)))
    return loops(tape)  # once more: what a simpler step computes of rows or constants alone


def is_plain(body: Any) -> bool:
    """Whether a body is a tape, or a loop or a choice of tapes."""
    parts = _parts(body)
    return type(body) is TapeBody or (bool(parts) and all(type(p) is TapeBody for p in parts))


def with_compiled_bodies(tape: Tape, make: Callable[[Tape], Any]) -> Tape:
    """A tape whose calls, but the plain ones, have compiled bodies.

    Arguments:
        tape: the program.
        make: gives the body to take the place of a tape.
    """
    return _with_bodies(tape, lambda call, _: None if is_plain(call.body) else _replaced(call.body, make))


def _with_bodies(tape: Tape, change: Callable[[Call, list[ShapeDtypeStruct]], Any]) -> Tape:
    """A tape whose calls have other bodies, where `change` gives one."""
    if not any(isinstance(p, Call) for p in tape.primitives):
        return tape

    def rule(e: Equation, inputs: tuple) -> Any:
        if not isinstance(e.primitive, Call):
            return None
        body = change(e.primitive, [ShapeDtypeStruct(shape_of(i), dtype_of(i)) for i in e.inputs])
        if body is None or body is e.primitive.body:
            return None
        call = copy.copy(e.primitive)
        call.body = body
        return equation(e.number, Symbol(call, len(inputs)), inputs, e.params, (), e.shape, e.dtype)

    return rewrite(tape, rule)


def _parts(body: Any) -> tuple:
    """The bodies of a loop or a choice; nothing for others."""
    if type(body) is Scan:
        return (body.step,)
    if type(body) is While:
        return body.decide, body.step
    return body.branches if type(body) is Branches else ()


def _simple(body: Any, kinds: Sequence[ShapeDtypeStruct]) -> Any:
    """A body as a tape, or as a loop or a choice of tapes, all simplified; None if it cannot be had."""
    if type(body) is TapeBody:
        return TapeBody(simplify(body.tape))
    if type(body) is Scan:
        step = _simple(body.step, body.one_step(kinds))
        return step and Scan(step, body.constants, body.carry, body.length, body.reverse)
    if type(body) is While:
        decide, step = _simple(body.decide, kinds), _simple(body.step, kinds)
        return decide and step and While(decide, step, body.constants)
    if type(body) is Branches:
        branches = [_simple(b, kinds[1:]) for b in body.branches]
        return Branches(branches) if all(branches) else None
    inner = body
    while isinstance(inner, (Pushforward, PullbackBody, Batched, OfThoseWhoTakeIt)):
        inner = inner.body
    if not isinstance(inner, (TapeBody, Zeros)):
        return None
    closed, _, _ = close(body, kinds, "jit", decides=False)
    return TapeBody(simplify(closed.tape))


def _again(body: Any) -> Any:
    """A scan whose step the pass over loops may have left with more constants."""
    if type(body) is not Scan or type(body.step) is not TapeBody:
        return None
    return Scan(TapeBody(simplified(body.step.tape)), body.constants, body.carry, body.length, body.reverse)


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
