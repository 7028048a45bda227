"""`odeint`: the solution of an ordinary differential equation, with derivatives that are solutions of others.

See scipy/ode.py for what they are. Here are the arguments of the user, taken apart and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, NoValueError, ShapeError, UnsupportedError, type_text
from funcgrad.numpy.convert import asarray
from funcgrad.scipy.ode import Ode
from funcgrad.scipy.vectors import Vectors
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.bodies import FunctionBody
from funcgrad.transforms.closing import close

__all__ = ["odeint"]


def odeint(
    func: Callable,
    y0: PyTree,
    t: Any,
    args: PyTree = (),
    *more: PyTree,
    tfirst: bool = False,
    rtol: float | None = None,
    atol: float | None = None,
    mxstep: float = np.inf,
    hmax: float = np.inf,
) -> PyTree:
    """Solve the ordinary differential equation y' = func(y, t, *args) from y0 at t[0].

    Arguments:
        func: gives the derivative of y with respect to t, a pytree like y. It may close over values that are being
            differentiated.
        y0: the state at t[0], a pytree of real or complex arrays. A list of numbers is a vector.
        t: the times at which the solution is wanted, one after the other, or one before the other.
        args: a tuple of further arguments of func, pytrees of arrays. What is no tuple is one argument.
        more: further arguments of func, after args: `odeint(func, y0, t, a, b)` is `odeint(func, y0, t, args=(a, b))`.
        tfirst: whether func takes the time first, func(t, y, *args).
        rtol, atol: the error that a step may make, relative to y and absolute, 1.49e-8 by default. They hold for
            derivatives as well, whose equations are solved together with this one.
        mxstep: the most steps between two of the times; 0 for any number.
        hmax: the longest step; 0 for any.

    Returns:
        A pytree like y0 whose leaves have an axis in front, for the times. It has derivatives of any order, in both
        modes, with respect to y0, t, args and what func closes over.

    Raises:
        ArgumentError: t is no vector of floats, an argument is no array, or func gives complex numbers for a real y.
        ShapeError, TreeError: func gives something that is not like y0.
        ConvergenceError: the steps become too many, or too short, as where the solution goes to infinity.

    Example:
        >>> from funcgrad.scipy.integrate import odeint
        >>> decay = lambda rate: odeint(lambda y, t, rate: -rate * y, 1.0, fnp.array([0.0, 1.0]), args=(rate,))[-1]
        >>> decay(2.0), fg.grad(decay)(2.0)
        (Array(0.13533529, dtype=float64), Array(-0.13533529, dtype=float64))

    Source: scipy.integrate.odeint (https://docs.scipy.org/doc/scipy/reference/generated/scipy.integrate.odeint.html).
        The method is that of `jax.experimental.ode.odeint`; for reverse mode Chen, Rubanova, Bettencourt, Duvenaud,
        "Neural ordinary differential equations" (2018), appendix C.
    """
    given = (*args, *more) if isinstance(args, tuple) else (args, *more)
    slope = (lambda y, now, *rest: func(now, y, *rest)) if tfirst else func
    limits = (
        DEFAULT if rtol is None else float(rtol),
        DEFAULT if atol is None else float(atol),
        float(mxstep) or np.inf,
        float(hmax) or np.inf,
    )
    return solution(slope, vector(y0), t, given, limits, "odeint")


def vector(y0: PyTree) -> PyTree:
    """A list of numbers is a vector, as in SciPy. Other states are pytrees."""
    return asarray(y0) if type(y0) is list and all(np.ndim(v) == 0 for v in y0) else y0


DEFAULT = 1.49e-8
"""The tolerances of scipy.integrate.odeint."""


def solution(
    func: Callable, y0: PyTree, t: Any, args: tuple, limits: tuple[float, float, float, float], name: str
) -> PyTree:
    """The solution of y' = func(y, t, *args) at the times t.

    Arguments:
        func, y0, t: as for `odeint`.
        args: further arguments of func.
        limits: rtol, atol, mxstep, hmax.
        name: for messages.
    """
    (times, *leaves), _ = input_values((t, y0), name, ("t", "y0"))
    given, args_tree = input_values(args, name, range(3, 3 + len(args)))
    structure = tree.structure(y0)
    if times.dtype.kind != "f":
        raise ArgumentError(f"{name}: t must be an array of floats, but got {type_text(times)}")
    if times.ndim != 1 or times.size == 0:
        raise ShapeError(
            f"{name}: t must be a vector of times, the first of which is that of y0; got shape {times.shape}"
        )
    times = wrap(times)
    y = [wrap(v) if is_inexact(v.dtype) else wrap(v).astype(float) for v in leaves]
    given = [wrap(v) for v in given]

    def flat(*xs: Any) -> list[Any]:
        *c, now = xs[: len(given)], xs[-1]
        state = structure.unflatten(xs[len(given) : -1])
        return _slopes(func(state, now, *args_tree.unflatten(c[0])), y, structure, name)

    operands = [*given, *y, times[0]]
    body: Any
    try:
        body, constants, _ = close(flat, operands, name, decides=False)
    except (NoValueError, UnsupportedError):  # it decides by values
        body, constants = UncompiledDynamics(flat, tree.structure((0,) * len(operands)), name), []
    found = Ode(body, (1,) * (len(constants) + len(given) + len(y)), len(y), limits)(*constants, *given, *y, times)
    return structure.unflatten(found)


def _slopes(dy: PyTree, y: Sequence[Any], structure: Any, name: str) -> list[Any]:
    """The leaves of what func gave, in the dtypes of y. Its structure may be another one with as many numbers.

    Raises:
        TreeError, ShapeError, ArgumentError: it is not like y.
    """
    found, out_tree = output_values(dy, name)
    if out_tree != structure and sum([d.size for d in found]) == sum([v.size for v in y]):
        flat = Vectors(found).join(found)  # such as a list of the elements of a vector
        found, out_tree = [wrap(v) for v in Vectors(y).shaped(flat)], structure
    if out_tree != structure or [d.shape for d in found] != [v.shape for v in y]:
        raise ShapeError(
            f"{name}: func must give the derivative of y, which is like y0: {structure} of "
            f"{', '.join([type_text(v) for v in y])}; it gave {out_tree} of {', '.join([type_text(d) for d in found])}"
        )
    for d, v in zip(found, y, strict=True):
        if d.dtype.kind == "c" and v.dtype.kind != "c":
            raise ArgumentError(f"{name}: func gives complex numbers, so y0 must be complex; it is {type_text(v)}")
    return [d if d.dtype == v.dtype else d.astype(v.dtype) for d, v in zip(found, y, strict=True)]


class UncompiledDynamics(FunctionBody):
    """A right-hand side that calls the user's function."""

    __slots__ = ()

    def __call__(self, *args: Any) -> list[Any]:
        return super().__call__(*map(wrap, args))
