"""`platform_dependent`: one of several functions, by the platform. Here that is always the CPU."""

from __future__ import annotations

from collections.abc import Callable

from funcgrad.core.types import PyTree
from funcgrad.errors import UnsupportedError
from funcgrad.lax.carry import operands
from funcgrad.transforms.arguments import output_values

__all__ = ["platform_dependent"]


def platform_dependent(*args: PyTree, default: Callable | None = None, **per_platform: Callable) -> PyTree:
    """Apply the function for the platform that runs the program.

    Arguments:
        args: pytrees of arrays.
        default: the function for platforms that have none of their own.
        per_platform: functions by the name of the platform; that of this one is `cpu`.

    Returns:
        What the function for the CPU gives, or else the default.

    Raises:
        UnsupportedError: there is neither.

    Example:
        >>> fg.lax.platform_dependent(0.0, cpu=fnp.cos, default=fnp.sin)
        Array(1., dtype=float64)
    """
    chosen = per_platform.get("cpu", default)
    if chosen is None:
        raise UnsupportedError(
            f"platform_dependent: there is no function for the platform cpu, only for {', '.join(per_platform)}; give "
            f"one as cpu= or default="
        )
    leaves, structure = operands(args, "platform_dependent")
    outs, out_tree = output_values(chosen(*structure.unflatten(leaves)), "platform_dependent")
    return out_tree.unflatten(outs)
