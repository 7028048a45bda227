"""`disable_jit`: run compiled functions uncompiled, line by line, to look into them."""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import ContextVar

from funcgrad.core.scope import scoped

_disabled: ContextVar[bool] = ContextVar("funcgrad_jit_disabled", default=False)
switches = [0]
"""How many `disable_jit` blocks there are in all threads: where there is none a call need not ask for its own."""


@scoped
def disable_jit(disable: bool = True) -> Iterator[None]:
    """Within the block compiled functions run uncompiled: for a debugger, `print`, `if` on values.

    It holds for the thread, or the asynchronous task, that entered it.

    Arguments:
        disable: False switches jit on again inside a block that switched it off.

    Example:
        >>> f = fg.jit(lambda x: x if x > 0 else -x)
        >>> with fg.disable_jit():
        ...     f(fnp.asarray(-2.0))
        Array(2., dtype=float64)

    Source: `jax.disable_jit`.
    """
    before = _disabled.get()
    try:  # between what happens in either part there is no place for an interrupt
        switches[0] += 1
        _disabled.set(disable)
        yield
    finally:
        switches[0] -= 1
        _disabled.set(before)


def disabled() -> bool:
    """Whether jit is switched off here."""
    return switches[0] > 0 and _disabled.get()
