"""Newton's method for systems of equations, with exact Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError


class NewtonResult(NamedTuple):
    """Where Newton's method ended.

    Attributes:
        x: the last point.
        converged: whether the last step was small.
        steps, evaluations: how many steps, and evaluations of f.
    """

    x: np.ndarray
    converged: bool
    steps: int
    evaluations: int


def newton(
    f: Callable[[np.ndarray], np.ndarray],
    jacobian: Callable[[np.ndarray], np.ndarray],
    x: np.ndarray,
    tol: float,
    maxiter: int,
) -> NewtonResult:
    """Find a root of a function of vectors.

    A full step is taken if it brings f nearer to zero, otherwise it is halved until it does.

    Arguments:
        f, jacobian: the function and its Jacobian, of ndarrays.
        x: where to start.
        tol: the size of the last step, relative to x.
        maxiter: the most steps.

    Source: Dennis and Schnabel, "Numerical methods for unconstrained optimization and nonlinear equations" (1983),
        chapters 5 and 6.
    """
    with np.errstate(all="ignore"):  # a full step may lead to where f is infinite
        return _search(f, jacobian, x, tol, maxiter)


def _search(f: Callable, jacobian: Callable, x: np.ndarray, tol: float, maxiter: int) -> NewtonResult:
    y, evaluations = f(x), 1
    for steps in range(maxiter):
        if not y.any():
            return NewtonResult(x, True, steps, evaluations)
        try:
            move = -np.linalg.solve(jacobian(x), y)
        except LinAlgError:
            return NewtonResult(x, False, steps, evaluations)
        size, share = np.linalg.norm(y), 1.0
        while True:
            next_x = x + share * move
            next_y = f(next_x)
            evaluations += 1
            small = np.linalg.norm(share * move) <= tol * np.linalg.norm(next_x)
            if small or np.linalg.norm(next_y) <= (1 - 1e-4 * share) * size:
                break
            share /= 2
        x, y = next_x, next_y
        if small:
            return NewtonResult(x, share == 1.0, steps + 1, evaluations)
    return NewtonResult(x, False, maxiter, evaluations)
