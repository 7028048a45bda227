"""`solve_ivp`: initial value problems, as SciPy poses them, solved by `Ode` (scipy/ode.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike, Float, Inexact, PyTree
from funcgrad.errors import ArgumentError, ConvergenceError, ShapeError, UnsupportedError
from funcgrad.numpy import concatenate, moveaxis, stack
from funcgrad.numpy.convert import asarray
from funcgrad.scipy import dormand_prince
from funcgrad.scipy.integrate.systems import solution
from funcgrad.transforms.arguments import output_values
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["OdeResult", "solve_ivp"]

Limits = tuple[float, float, float, float]
"""rtol, atol, mxstep, hmax."""


class OdeResult(NamedTuple):
    """What `solve_ivp` gives. It is a pytree.

    Attributes:
        t: the times.
        y: the states at them, along the last axis.
        sol: with `dense_output` a function from times to states, else None.
        status: 0, for the end of the interval was reached: where it is not, an error is raised.
        success: whether it was.
    """

    t: Float[Array, " n"]
    y: Inexact[Array, "m n"]
    sol: Any
    status: int
    success: bool


def solve_ivp(
    fun: Callable,
    t_span: Any,
    y0: ArrayLike,
    method: str = "RK45",
    t_eval: ArrayLike | None = None,
    dense_output: bool = False,
    events: Any = None,
    vectorized: bool = False,
    args: PyTree = None,
    *,
    rtol: float = 1e-3,
    atol: float = 1e-6,
    max_step: float = np.inf,
) -> OdeResult:
    """Solve the initial value problem y' = fun(t, y, *args), y(t0) = y0.

    Arguments:
        fun: gives the derivative of y, a vector. It may close over values that are being differentiated.
        t_span: the first and the last time.
        y0: the state at the first.
        method: "RK45", the pair of Dormand and Prince.
        t_eval: the times at which the solution is wanted, between those two. By default those of the steps; what they
            are depends on values, so under `jit` and `vmap` t_eval must be given, and derivatives take the times in
            between for constants.
        dense_output: whether to give the solution as a function, too, which solves again up to the times asked for.
        events: not supported.
        vectorized: accepted as in SciPy.
        args: a tuple of further arguments of fun, pytrees of arrays.
        rtol, atol: the error that a step may make, relative to y and absolute. They hold for derivatives as well, whose
            equations are solved together with this one, so choose them small where derivatives matter.
        max_step: the longest step.

    Returns:
        An `OdeResult`. Its y has derivatives of any order, in both modes, with respect to y0, t_span, t_eval, args and
        what fun closes over.

    Raises:
        UnsupportedError: another method, or events.
        ArgumentError: t_eval does not lie in t_span, or is not given where it must be.
        ConvergenceError: the steps become too short.

    Example:
        >>> from funcgrad.scipy.integrate import solve_ivp
        >>> def last(rate):
        ...     return solve_ivp(lambda t, y: -rate * y, (0.0, 1.0), [1.0], rtol=1e-9, atol=1e-9).y[0, -1]
        >>> last(2.0).round(6), fg.grad(last)(2.0).round(6)
        (Array(0.135335, dtype=float64), Array(-0.135335, dtype=float64))
    """
    if method != "RK45":
        raise UnsupportedError(f'solve_ivp has the method "RK45" only, got {method!r}')
    if events is not None:
        raise UnsupportedError("solve_ivp does not have the option events=; solve for the time with optimize.root")
    args = () if args is None else args
    if not isinstance(args, tuple):
        raise ArgumentError(f"solve_ivp: args must be a tuple, got {type(args).__name__}; write args=(a,)")
    start, end = [asarray(t).astype(float) for t in t_span]
    y0 = asarray(y0)
    if y0.ndim != 1:
        raise ShapeError(f"solve_ivp: y0 must be a vector, got shape {y0.shape}")
    limits: Limits = (float(rtol), float(atol), np.inf, float(max_step))

    def slope(y: Any, t: Any, *rest: Any) -> Any:
        return fun(t, y, *rest)

    def at(times: Array) -> Array:
        return moveaxis(solution(slope, y0, times, args, limits, "solve_ivp"), 0, -1)

    if t_eval is None:
        times = _steps(slope, y0, start, end, args, limits)
        y = at(times)
    else:
        times = asarray(t_eval).astype(float)
        _check_inside(times, start, end)
        y = at(concatenate([start[None], times, end[None]]))[:, 1:-1]

    def dense(t: ArrayLike) -> Array:
        t = asarray(t).astype(float)
        flat = t.reshape(-1)
        order = np.argsort(np.asarray(stop_gradient(flat)) * (1 if bool(end >= start) else -1))
        found = at(concatenate([start[None], flat[order]]))[:, 1:][:, np.argsort(order)]
        return found.reshape(y0.size, *t.shape)

    return OdeResult(times, y, dense if dense_output else None, 0, True)


def _check_inside(times: Array, start: Array, end: Array) -> None:
    values = [known(v) for v in (times, start, end)]
    if times.ndim != 1:
        raise ShapeError(f"solve_ivp: t_eval must be a vector, got shape {times.shape}")
    if any(v is None for v in values):
        return
    t, a, b = map(np.asarray, values)
    if ((t < min(a, b)) | (t > max(a, b))).any():
        raise ArgumentError(f"solve_ivp: t_eval must lie in t_span, from {a} to {b}; got {t}")
    if (np.diff(t) * np.sign(b - a) <= 0).any():
        raise ArgumentError(f"solve_ivp: t_eval must be sorted in the direction of t_span; got {t}")


def _steps(slope: Callable, y0: Array, start: Array, end: Array, args: tuple, limits: Limits) -> Array:
    """The times of the steps that the solver takes, constants but for the first and the last."""
    taken: list[float] = []
    y, t0, t1 = (_value(x) for x in (y0, start, end))
    rest = tree.map(_value, args)

    def f(v: np.ndarray, t: Any) -> np.ndarray:
        leaves, _ = output_values(slope(asarray(v), t, *rest), "solve_ivp")
        return np.concatenate([np.ravel(_value(x)) for x in leaves]).astype(v.dtype, copy=False)

    y = np.asarray(y, y.dtype if y.dtype.kind in "fc" else float)
    size_of = dormand_prince.sizes([y.size], [1])
    rtol, atol, mxstep, hmax = limits
    try:
        dormand_prince.integrate(f, y, np.array([t0, t1]), size_of, rtol, atol, mxstep, hmax, taken)
    except dormand_prince.StepError as e:
        raise ConvergenceError(f"solve_ivp: {e}; the equation may be stiff, or its solution go to infinity") from None
    return concatenate([start[None], np.array(taken[:-1]), end[None]]) if len(taken) else stack([start, end])


def _value(x: Any) -> np.ndarray:
    """What is behind any tracers.

    Raises:
        ArgumentError: nothing is.
    """
    value = known(x)
    if value is None:
        raise ArgumentError(
            "solve_ivp: the times of its steps depend on values that are not known while a program is recorded or "
            "batched; give the times at which the solution is wanted: t_eval="
        )
    return np.asarray(value)
