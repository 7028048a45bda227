"""Backends: what makes a callable of a tape.

A backend is a function that takes a whole program (a `Tape`) and gives a `Kernel`. Another one is added by registering
it; it needs to know neither rules nor passes. "numpy" writes straight-line Python over NumPy, "eager" runs the tape
equation by equation, for debugging.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from types import BuiltinFunctionType
from typing import Any, Protocol

from funcgrad.core.array import raw, wrap
from funcgrad.core.tape import Tape
from funcgrad.errors import ArgumentError


class Kernel(Protocol):
    """A compiled program.

    Attributes:
        source: what it does, for people; Python that runs, if the backend writes any. See `source_of`.
    """

    source: str

    def __call__(self, *args: Any) -> Sequence[Any]:
        """The results for raw values of the inputs (ndarrays, NumPy scalars, Python numbers), raw again.

        The results share no memory with each other's future: nobody writes to them later, and the caller may keep them.
        """


_backends: dict[str, tuple[Callable[[Tape], Kernel], Callable[[], None] | None]] = {}


def register_backend(
    name: str, compile_tape: Callable[[Tape], Kernel], check: Callable[[], None] | None = None
) -> None:
    """Make a backend known to `jit(f, backend=name)`.

    Arguments:
        name: of the backend; a new one under an old name takes its place.
        compile_tape: takes a Tape, gives a Kernel.
        check: raises an error that says so if the backend cannot be used here.
    """
    _backends[name] = compile_tape, check


def backend(name: str) -> Callable[[Tape], Kernel]:
    """The backend of this name.

    Raises:
        ArgumentError: there is none, or it cannot be used here.
    """
    if name not in _backends:
        raise ArgumentError(f"jit: there is no backend {name!r}; those there are: {sorted(_backends)}")
    compile_tape, check = _backends[name]
    if check is not None:
        check()
    return compile_tape


def default_backend() -> str:
    """The name of the backend of functions for which none is named: FUNCGRAD_BACKEND, or else that of tiers.py."""
    return os.environ.get("FUNCGRAD_BACKEND") or "tiers"


def bearer(kernel: Callable[..., Any]) -> Any:
    """What bears the attributes of a kernel: a builtin function has none, and what it is bound to bears them."""
    return kernel.__self__ if isinstance(kernel, BuiltinFunctionType) else kernel


def source_of(kernel: Kernel) -> str:
    """What a kernel does, for people."""
    return str(bearer(kernel).source)


def outside_of(kernel: Kernel) -> tuple[str, ...] | None:
    """The operations that NumPy carries out in a program with machine code; None if it has none."""
    found: tuple[str, ...] | None = getattr(bearer(kernel), "outside", None)
    return found


class EagerKernel:
    """Runs a tape equation by equation."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.source = str(tape)

    def __call__(self, *args: Any) -> Sequence[Any]:
        return [raw(o) for o in self.tape.run([wrap(a) for a in args])]


register_backend("eager", EagerKernel)
