"""What files that hold weights only may name, beside what `torch.save` itself writes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from funcgrad.core.scope import scoped

trusted: dict[str, Any] = {}


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let files that are loaded with weights_only=True name these classes and functions."""
    for x in safe_globals:
        x, name = x if isinstance(x, tuple) else (x, f"{x.__module__}.{x.__qualname__}")
        trusted[name] = x


def get_safe_globals() -> list[Any]:
    """The classes and functions that `add_safe_globals` was given."""
    return list(trusted.values())


def clear_safe_globals() -> None:
    """Forget what `add_safe_globals` was given."""
    trusted.clear()


@scoped
def safe_globals(safe_globals: list[Any]) -> Iterator[None]:
    """As `add_safe_globals`, until the end of a `with` block."""
    before = dict(trusted)
    add_safe_globals(safe_globals)
    try:
        yield
    finally:
        trusted.clear()
        trusted.update(before)
