"""`odeint`: the solution of an ordinary differential equation, with derivatives that are solutions of others.

See ode.py for what they are. Here are the arguments of the user, taken apart and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, NoValueError, ShapeError, type_text
from funcgrad.scipy.ode import Ode
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.bodies import FunctionBody
from funcgrad.transforms.closing import close

__all__ = ["odeint"]


def odeint(
    func: Callable,
    y0: PyTree,
    t: Any,
    *args: PyTree,
    rtol: float = 1.4e-8,
    atol: float = 1.4e-8,
    mxstep: float = np.inf,
    hmax: float = np.inf,
) -> PyTree:
    """Solve the ordinary differential equation y' = func(y, t, *args) from y0 at t[0].

    Arguments:
        func: gives the derivative of y with respect to t, a pytree like y. It may close over values that are being
            differentiated.
        y0: the state at t[0], a pytree of real or complex arrays.
        t: the times at which the solution is wanted, one after the other, or one before the other.
        args: further arguments of func, pytrees of arrays.
        rtol, atol: the error that a step may make, relative to y and absolute. They hold for derivatives as well, whose
            equations are solved together with this one.
        mxstep: the most steps between two of the times.
        hmax: the longest step.

    Returns:
        A pytree like y0 whose leaves have an axis in front, for the times. It has derivatives of any order, in both
        modes, with respect to y0, t, args and what func closes over.

    Raises:
        ArgumentError: t is no vector of floats, an argument is no array, or func gives complex numbers for a real y.
        ShapeError, TreeError: func gives something that is not like y0.
        ConvergenceError: the steps become too many, or too short, as where the solution goes to infinity.

    Example:
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> from funcgrad.scipy.integrate import odeint
        >>> decay = lambda rate: odeint(lambda y, t, rate: -rate * y, 1.0, fnp.array([0.0, 1.0]), rate)[-1]
        >>> decay(2.0), fg.grad(decay)(2.0)
        (Array(0.13533529, dtype=float64), Array(-0.13533529, dtype=float64))

    Source: the convention is that of `jax.experimental.ode.odeint`; for reverse mode Chen, Rubanova, Bettencourt,
        Duvenaud, "Neural ordinary differential equations" (2018), appendix C.
    """
    (times, *leaves), _ = input_values((t, y0), "odeint", ("t", "y0"))
    given, args_tree = input_values(args, "odeint", range(3, 3 + len(args)))
    structure = tree.structure(y0)
    if times.dtype.kind != "f":
        raise ArgumentError(f"odeint: t must be an array of floats, but got {type_text(times)}")
    if times.ndim != 1 or times.size == 0:
        raise ShapeError(
            f"odeint: t must be a vector of times, the first of which is that of y0; got shape {times.shape}"
        )
    times = wrap(times)
    y = [wrap(v) if is_inexact(v.dtype) else wrap(v).astype(float) for v in leaves]
    given = [wrap(v) for v in given]

    def flat(*xs: Any) -> list[Any]:
        *c, now = xs[: len(given)], xs[-1]
        state = structure.unflatten(xs[len(given) : -1])
        return _slopes(func(state, now, *args_tree.unflatten(c[0])), y, structure)

    operands = [*given, *y, times[0]]
    body: Any
    try:
        body, constants, _ = close(flat, operands, "odeint", decides=False)
    except NoValueError:  # it decides by values: run as it stands
        body, constants = StandingDynamics(flat, tree.structure((0,) * len(operands)), "odeint"), []
    limits = float(rtol), float(atol), float(mxstep), float(hmax)
    found = Ode(body, (1,) * (len(constants) + len(given) + len(y)), len(y), limits)(*constants, *given, *y, times)
    return structure.unflatten(found)


def _slopes(dy: PyTree, y: Sequence[Any], structure: Any) -> list[Any]:
    """The leaves of what func gave, in the dtypes of y.

    Raises:
        TreeError, ShapeError, ArgumentError: it is not like y.
    """
    found, out_tree = output_values(dy, "odeint")
    if out_tree != structure or [d.shape for d in found] != [v.shape for v in y]:
        raise ShapeError(
            f"odeint: func must give the derivative of y, which is like y0: {structure} of "
            f"{', '.join([type_text(v) for v in y])}; it gave {out_tree} of {', '.join([type_text(d) for d in found])}"
        )
    for d, v in zip(found, y, strict=True):
        if d.dtype.kind == "c" and v.dtype.kind != "c":
            raise ArgumentError(f"odeint: func gives complex numbers, so y0 must be complex; it is {type_text(v)}")
    return [d if d.dtype == v.dtype else d.astype(v.dtype) for d, v in zip(found, y, strict=True)]


class StandingDynamics(FunctionBody):
    """The right-hand side that a function of the user is, run as it stands."""

    __slots__ = ()

    def __call__(self, *args: Any) -> list[Any]:
        return super().__call__(*map(wrap, args))
