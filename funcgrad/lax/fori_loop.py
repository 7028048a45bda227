"""`fori_loop`: repeat a function for each integer of a range."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import wrap
from funcgrad.core.trace import known
from funcgrad.core.types import PyTree
from funcgrad.core.weak import is_weak, strong, weak
from funcgrad.errors import ArgumentError, type_text
from funcgrad.lax.carry import Carry, operands, results
from funcgrad.lax.scan import record_scan
from funcgrad.lax.while_loop import repeat_while
from funcgrad.transforms.make_tape import recording

__all__ = ["fori_loop"]


def fori_loop(
    lower: Any, upper: Any, body_fun: Callable, init_val: PyTree, *, unroll: int | bool | None = None
) -> PyTree:
    """Repeat a function of an integer and a value for each integer from lower to upper - 1.

        def fori_loop(lower, upper, body_fun, init_val):
            val = init_val
            for i in range(lower, upper):
                val = body_fun(i, val)
            return val

    It is differentiable in both modes, whether or not the bounds are known beforehand.

    Arguments:
        lower, upper: integers of one dtype; a Python integer takes on that of the other.
        body_fun: takes the integer and the value, and gives the next value, of the same structure, shapes and dtypes.
            If both bounds are Python integers, the integer leaves the dtypes of the arrays that it is combined with as
            they are, as in a Python loop.
        init_val: a pytree of arrays. The dtype of a Python number in it is the one that body_fun gives.
        unroll: accepted as in JAX, where it tells the compiler how many steps to write out. The bounds must be known.

    Returns:
        The last value, its leaves as Arrays; init_val, if the range is empty.

    Raises:
        ArgumentError: the bounds are no integers of one dtype, or body_fun gives another type than it takes.
        ValueError: unroll, and the bounds are not known.

    Example:
        >>> fg.lax.fori_loop(1, 5, lambda i, product: product * i, 1.0)
        Array(24., dtype=float64)
    """
    if not callable(body_fun):
        raise ArgumentError("lax.fori_loop: body_fun argument should be callable.")
    low, high, number = _bounds(lower, upper)
    start, stop = known(low), known(high)
    if start is None or stop is None:
        if unroll is not None:
            raise ValueError("Can only use `unroll` in `fori_loop` if the loop bounds are statically known.")
        return repeat_while(
            lambda s: s[0] < high,
            lambda s: (s[0] + 1, body_fun(s[0], s[1])),
            (low, init_val),
            "fori_loop",
            lambda: "loop_carry",
        )[1]
    integers = range(int(start), int(stop))
    leaves, structure = operands(init_val, "fori_loop")
    carry = Carry(leaves, structure, "fori_loop", lambda: "loop_carry[1]")
    if recording():
        rows = wrap(np.arange(integers.start, max(integers.start, integers.stop), dtype=low.dtype))
        return record_scan(
            lambda val, i: (body_fun(i, val), None), leaves, carry, rows, len(integers), False, number is weak
        )[0]
    if not integers:

        def step(*xs: Any) -> PyTree:
            return carry.after(body_fun(number(integers.start), structure.unflatten(xs)))

        return structure.unflatten(carry.untaken(leaves, step))
    value = structure.unflatten(leaves)
    for i in integers:
        value = carry.after(body_fun(number(i), value))
    outs, structure = results(value, "fori_loop")
    return structure.unflatten(outs)


def _bounds(lower: Any, upper: Any) -> tuple[Any, Any, Callable[[int], Any]]:
    """The bounds as scalars of one dtype, and what makes of an integer one that goes with them.

    Raises:
        ArgumentError: they differ in dtype, or are no integer scalars.
    """
    (low, high), _ = operands((lower, upper), "fori_loop")
    if is_weak(low) and is_weak(high):
        number: Callable[[int], Any] = weak
    else:
        if is_weak(low) and low.dtype.kind == "i" and high.dtype.kind in "iu":
            low = strong(low).astype(high.dtype)
        elif is_weak(high) and high.dtype.kind == "i" and low.dtype.kind in "iu":
            high = strong(high).astype(low.dtype)
        dtype = low.dtype

        def number(i: int) -> Any:
            return wrap(dtype.type(i))

    if low.dtype != high.dtype:
        raise ArgumentError(
            f"lower and upper arguments to fori_loop must have equal types, got {low.dtype} and {high.dtype}; convert "
            f"one with .astype"
        )
    if low.shape != () or high.shape != () or low.dtype.kind not in "iu":
        raise ArgumentError(
            f"lower and upper arguments to fori_loop must be integer scalars, got {type_text(low)} and "
            f"{type_text(high)}. Convert a bound with int(n), or n.astype(int) if it is traced; for other steps count "
            f"them, and let body_fun compute its number from the integer"
        )
    return low, high, number
