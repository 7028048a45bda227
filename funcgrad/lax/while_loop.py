"""`while_loop`: repeat as long as a condition holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from funcgrad.core.trace import known
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.lax.agreement import first_argument
from funcgrad.lax.carry import Carry, flag, operands, results
from funcgrad.lax.closing import closed
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.while_body import While
from funcgrad.transforms.make_tape import recording

__all__ = ["while_loop"]


def while_loop(cond_fun: Callable, body_fun: Callable, init_val: PyTree) -> PyTree:
    """Repeat a function of a value as long as a condition on it holds.

        def while_loop(cond_fun, body_fun, init_val):
            val = init_val
            while cond_fun(val):
                val = body_fun(val)
            return val

    It is differentiable in both modes; reverse mode keeps what the steps keep that were taken. In a batch each example
    stops when its own condition fails.

    Arguments:
        cond_fun: takes the value and gives a boolean scalar.
        body_fun: takes the value and gives the next one, of the same structure, shapes and dtypes.
        init_val: a pytree of arrays. The dtype of a Python number in it is the one that body_fun gives.

    Returns:
        The last value, its leaves as Arrays.

    Raises:
        ArgumentError: cond_fun gives no boolean scalar, or body_fun another type than it takes.

    Example:
        >>> def square_root(a):
        ...     far = lambda x: fnp.abs(x * x - a) > 1e-12
        ...     return fg.lax.while_loop(far, lambda x: (x + a / x) / 2, 1.0)
        >>> fg.value_and_grad(square_root)(4.0)
        (Array(2., dtype=float64), Array(0.25, dtype=float64))

    Source: `jax.lax.while_loop` (https://docs.jax.dev/en/latest/_autosummary/jax.lax.while_loop.html), which does not
        have the reverse mode.
    """
    if not (callable(body_fun) and callable(cond_fun)):
        raise ArgumentError("lax.while_loop: body_fun and cond_fun arguments should be callable.")
    return repeat_while(cond_fun, body_fun, init_val, "while_loop", partial(first_argument, body_fun, "val"))


def repeat_while(
    cond_fun: Callable, body_fun: Callable, init_val: PyTree, name: str, argument: Callable[[], str]
) -> PyTree:
    """`while_loop` under another name.

    Arguments:
        argument: gives the name of the carry for messages.
    """
    leaves, structure = operands(init_val, name)
    carry = Carry(leaves, structure, name, argument)
    value, steps = structure.unflatten(leaves), 0

    def step(*xs: Any) -> PyTree:
        return carry.after(body_fun(structure.unflatten(xs)))

    goes_on = None if recording() else True
    while goes_on:
        goes_on = known(flag(cond_fun(value), name))
        if goes_on:
            value, steps = carry.after(body_fun(value)), steps + 1
    if goes_on is not None:
        outs = results(value, name)[0] if steps else carry.untaken(leaves, step)
        return structure.unflatten(outs)
    if steps:  # a batch whose examples have gone one way so far, and now differ
        leaves, _ = operands(value, name)
        carry = Carry(leaves, structure, name, argument)
    leaves = carry.settle(leaves, [], step)
    functions = [lambda *xs: flag(cond_fun(structure.unflatten(xs)), name), step]
    (decides, steps_on), constants, _ = closed(functions, carry.kinds, name)
    return structure.unflatten(ControlFlow(While(decides, steps_on, len(constants)), name)(*constants, *leaves))
