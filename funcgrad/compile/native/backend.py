"""The native backend: the program that the NumPy backend writes, with parts of it in machine code."""

from __future__ import annotations

from collections.abc import Callable

from funcgrad.compile.backends import register_backend
from funcgrad.compile.native.llvm import check_available
from funcgrad.compile.native.target import NativeTarget
from funcgrad.compile.numpy_backend.program import program as numpy_program
from funcgrad.core.tape import Tape


def program(tape: Tape) -> Callable[..., tuple]:
    """The kernel of a tape: a function of raw values that gives a tuple of them."""
    return numpy_program(tape, NativeTarget())


def machine_code(tape: Tape) -> Callable[..., tuple] | None:
    """The kernel of a tape; None if no part of it gains by machine code."""
    target = NativeTarget()
    kernel = numpy_program(tape, target)
    return kernel if target.parts else None


register_backend("native", program, check_available)  # type: ignore[arg-type]  # a function may have attributes
