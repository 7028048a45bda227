"""`custom_gradient`: a `custom_vjp` in one piece, a function that brings its own pullback along with its result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.errors import ArgumentError
from funcgrad.transforms.closure_convert import closure_convert
from funcgrad.transforms.custom_rules import pair
from funcgrad.transforms.custom_vjp import custom_vjp
from funcgrad.transforms.wraps import name_of


def custom_gradient(fun: Callable) -> Callable:
    """A function that brings its own pullback along with its result.

    Arguments:
        fun: takes arrays and gives a pair: the result, and a function from the cotangent of the result to those of the
            arguments: one, or a tuple if there are several. That function may close over whatever fun computed.

    Returns:
        The function from arguments to result, whose derivative is that pullback.

    Raises:
        CustomRuleError: fun does not give a pair, or its pullback not a cotangent for each argument.

    Example:
        >>> @fg.custom_gradient
        ... def square(x):
        ...     return x * x, lambda g: 3.0 * g * x
        >>> fg.grad(square)(2.0)
        Array(6., dtype=float64)

    Source: `jax.custom_gradient` (https://docs.jax.dev/en/latest/_autosummary/jax.custom_gradient.html).
    """
    if not callable(fun):
        raise ArgumentError(f"custom_gradient takes a function, got {fun!r} of type {type(fun).__name__}")

    def both(*args: Any) -> Any:
        return pair(fun(*args), "custom_gradient: it", name_of(fun), "the result and its pullback")

    def forward(*args: Any) -> tuple:
        out, rule = both(*args)
        converted, constants = closure_convert(rule, out)
        return out, (constants, converted, len(args))

    def backward(kept: tuple, g: Any) -> tuple:
        constants, converted, count = kept
        found = converted(g, *constants)
        return found if isinstance(found, tuple) and (count != 1 or len(found) == 1) else (found,)

    wrapped = custom_vjp(fun)
    wrapped.fun = lambda *args: both(*args)[0]
    wrapped.defvjp(forward, backward)
    return wrapped
