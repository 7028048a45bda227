"""The native backend: the program that the NumPy backend writes, with parts of it in machine code."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from funcgrad.compile.backends import bearer, register_backend
from funcgrad.compile.native.llvm import check_available, working
from funcgrad.compile.numpy_backend.program import program as numpy_program
from funcgrad.core.tape import Tape
from funcgrad.errors import ArgumentError

if TYPE_CHECKING:
    from funcgrad.compile.native.target import NativeTarget

_NAMED = 8  # operations that an error names


def program(tape: Tape) -> Callable[..., tuple]:
    """The kernel of a tape: a function of raw values that gives a tuple of them."""
    return _kernel(tape, _target())


def machine_code(tape: Tape) -> Callable[..., tuple] | None:
    """The kernel of a tape; None if no part of it gains by machine code."""
    target = _target()
    kernel = _kernel(tape, target)
    return kernel if target.parts else None


def whole_program(tape: Tape) -> Callable[..., tuple]:
    """The kernel of a tape of which NumPy carries out nothing.

    Raises:
        ArgumentError: there are operations for which there is no machine code.
    """
    kernel = program(tape)
    left = bearer(kernel).outside
    if left:
        raise ArgumentError(
            f"jit: backend 'native_only' takes programs that are machine code as a whole, and there is none for "
            f"{'; '.join(left[:_NAMED])}{' ...' * (len(left) > _NAMED)}. With backend 'native' NumPy does the rest"
        )
    return kernel


def _kernel(tape: Tape, target: NativeTarget) -> Callable[..., tuple]:
    kernel = numpy_program(tape, target)
    bearer(kernel).outside = target.outside()
    return kernel


def _target() -> NativeTarget:
    """What writes machine code; it is loaded here, for it is a third of what the first `jit` of a process loads."""
    with working:  # a process that forks in the midst of an import would leave its child with half a module
        module = import_module("funcgrad.compile.native.target")
    return module.NativeTarget()


register_backend("native", program, check_available)  # type: ignore[arg-type]  # a function may have attributes
register_backend("native_only", whole_program, check_available)  # type: ignore[arg-type]  # likewise
