"""Inlining: compiled and named calls, and functions with rules of their own, become part of the program.

No transform is left when a program runs, so the rules have done what they are for: a root is what the search has found,
and a linear system is what its solver does, unless that decides by values. Control flow, callbacks and
checkpoints stay calls: a checkpoint whose inside the passes could see would lose its second run to them.
"""

from __future__ import annotations

from typing import Any

from funcgrad.compile.rewrite import inlined
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close
from funcgrad.transforms.custom_jvp import CustomJvpCall
from funcgrad.transforms.custom_vjp import CustomVjpCall
from funcgrad.transforms.linear_solve import LinearSolve, is_uncompiled
from funcgrad.transforms.named_call import NamedCall
from funcgrad.transforms.root import Root


class InlinedCall(Call):
    """A call of a tape that is there for transforms to see: in a compiled program its inside takes its place."""

    __slots__ = ()
    transparent = True
    body: TapeBody

    @property
    def fresh(self) -> bool:
        """Whether none of it has been compiled yet."""
        return False


def inline(tape: Tape) -> Tape:
    """The tape with the insides of such calls in their places."""
    return inlined(tape, _expand)


def unnested(tape: Tape) -> Tape:
    """The tape with every compiled call replaced by its body, however deep."""
    return inlined(tape, lambda e: e.primitive.body.tape if isinstance(e.primitive, InlinedCall) else None)


def opened(tape: Tape) -> Tape:
    """The tape with every call that has not been compiled yet replaced by its body.

    It is for a tape that runs once, where compiling takes longer than running; all else stays for transforms to see.
    """
    return inlined(tape, lambda e: e.primitive.body.tape if getattr(e.primitive, "fresh", False) else None)


def _expand(e: Equation) -> Tape | None:
    call = e.primitive
    if not isinstance(call, Call):
        return None
    if isinstance(call, InlinedCall) or (isinstance(call, NamedCall) and isinstance(call.body, TapeBody)):
        return call.body.tape
    run: Any = None
    if isinstance(call, (NamedCall, CustomJvpCall, CustomVjpCall)):
        run = call.body
    elif isinstance(call, Root) or (isinstance(call, LinearSolve) and not is_uncompiled(call.solve)):
        run = call.evaluate
    if run is None:
        return None
    kinds = [ShapeDtypeStruct(shape_of(i), dtype_of(i)) for i in e.inputs]
    body, constants, _ = close(lambda *xs: run(*xs), kinds, call.name, decides=False)
    return body.tape if not constants else None
