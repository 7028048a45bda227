"""`odeint` as JAX calls it. funcgrad.scipy.integrate has the same with SciPy's call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.core.types import PyTree
from funcgrad.scipy.integrate.systems import solution

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
        args: further arguments of func, pytrees of arrays. A tuple among them is one argument, as everywhere in JAX;
            that is all in which this differs from `funcgrad.scipy.integrate.odeint`, which explains the rest.
        func, y0, t, rtol, atol, mxstep, hmax: as there.

    Returns:
        A pytree like y0 whose leaves have an axis in front, for the times.

    Raises:
        ArgumentError, ShapeError, TreeError, ConvergenceError: as there.

    Example:
        >>> from funcgrad.experimental.ode import odeint
        >>> odeint(lambda y, t, rates: -rates[0] * y, 1.0, fnp.array([0.0, 1.0]), (2.0, 3.0))
        Array([1.        , 0.13533529], dtype=float64)

    Source: `jax.experimental.ode.odeint`
        (https://github.com/jax-ml/jax/blob/main/jax/experimental/ode.py).
    """
    return solution(func, y0, t, args, (float(rtol), float(atol), float(mxstep), float(hmax)), "odeint")


publish(__name__)
