"""`fwd_and_bwd`: the two halves of reverse mode as two functions, for programs that keep them apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.transforms.argnums import argument_numbers, chosen_arguments
from funcgrad.transforms.vjp import Pullback, vjp


def fwd_and_bwd(
    fun: Callable, argnums: int | Sequence[int], has_aux: bool = False, jitted: bool = True
) -> tuple[Callable[..., tuple], Callable[[Pullback, PyTree], Any]]:
    """The forward and the backward pass of a function, as two functions.

    What the forward pass keeps for the backward pass is passed from one to the other by hand.

    Arguments:
        fun: a function of pytrees of arrays that returns one.
        argnums: which positional arguments the backward pass gives cotangents of.
        has_aux: whether fun returns a pair (result, aux), of which aux is not differentiated.
        jitted: whether the two may be compiled. This changes no result; funcgrad runs them as they are.

    Returns:
        `(fwd, bwd)`. `fwd(*args)` gives `(result, residuals)`, or `(result, residuals, aux)`; residuals is a pytree.
        `bwd(residuals, cotangent)` gives the cotangent of the argument, or a tuple of them if argnums is a sequence.

    Raises:
        ArgumentError: argnums names no argument.

    Example:
        >>> fwd, bwd = fg.fwd_and_bwd(lambda x, w: x @ w, argnums=1)
        >>> y, residuals = fwd(fnp.array([1.0, 2.0]), fnp.array([3.0, 4.0]))
        >>> y, bwd(residuals, 10.0)
        (Array(11., dtype=float64), Array([10., 20.], dtype=float64))

    Source: the convention is that of `jax.fwd_and_bwd`.
    """
    if not callable(fun):
        raise ArgumentError(f"fwd_and_bwd takes a function, got {fun!r} of type {type(fun).__name__}")
    numbers = argument_numbers(argnums, "fwd_and_bwd")
    several = isinstance(argnums, Sequence)

    def fwd(*args: PyTree, **kwargs: Any) -> tuple:
        g, chosen, _ = chosen_arguments(fun, numbers, args, kwargs, "fwd_and_bwd")
        return vjp(g, *chosen, has_aux=has_aux)

    def bwd(residuals: Pullback, cotangent: PyTree) -> Any:
        found = residuals(cotangent)
        return found if several else found[0]

    return fwd, bwd
