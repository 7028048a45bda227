"""Krylov methods: solve A x = b from products with A alone. Conjugate gradients, BiCGSTAB, restarted GMRES.

A method works on one vector, a flat array, with A and the preconditioner M as functions of it. It is a state, a test
whether to go on, and a step to the next state, which never look at a value; so the same method is a plain loop over
ndarrays, and a `while_loop` over what transforms make of them: a batch, whose examples take different numbers of steps.

Each method gives `(x, steps, rr)`: the solution, the number of steps, and the squared norm of the residual b − A x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.trace import Tracer
from funcgrad.lax.while_loop import while_loop

Map = Callable[[Any], Any]


def repeat(go_on: Callable[..., Any], step: Callable[..., tuple], state: tuple) -> tuple:
    """Step while `go_on(*state)`."""
    if any(isinstance(x, Tracer) for x in state):
        return while_loop(lambda s: go_on(*s), lambda s: step(*s), state)
    while go_on(*state):
        state = step(*state)
    return state


def conjugate_gradients(
    A: Map, M: Map | None, b: Any, x: Any, limit: Any, maxiter: int, restart: int
) -> tuple[Any, Any, Any]:
    """For a Hermitian, positive definite A.

    Arguments:
        A, M: the matrix, and the preconditioner or None.
        b, x: the right-hand side, and where to start.
        limit: the squared norm of the residual that is small enough.
        maxiter: the most steps.
        restart: not used.

    Source: Hestenes and Stiefel (1952); with preconditioner Saad, "Iterative methods for sparse linear systems" (2003),
        algorithm 9.1.
    """
    r = b - A(x)
    z = r if M is None else M(r)
    rho = _real_dot(r, z)
    state = x, r, z, rho, rho if M is None else _real_dot(r, r), 0

    def go_on(x: Any, r: Any, p: Any, rho: Any, rr: Any, k: Any) -> Any:
        return (rr > limit) & (k < maxiter)

    def step(x: Any, r: Any, p: Any, rho: Any, rr: Any, k: Any) -> tuple:
        q = A(p)
        alpha = rho / _divisor(_real_dot(p, q))
        x, r = x + alpha * p, r - alpha * q
        z = r if M is None else M(r)
        new = _real_dot(r, z)
        return x, r, z + new / _divisor(rho) * p, new, new if M is None else _real_dot(r, r), k + 1

    x, _, _, _, rr, k = repeat(go_on, step, state)
    return x, k, rr


def bicgstab(A: Map, M: Map | None, b: Any, x: Any, limit: Any, maxiter: int, restart: int) -> tuple[Any, Any, Any]:
    """For any A. Arguments as for `conjugate_gradients`.

    Source: van der Vorst, "Bi-CGSTAB: a fast and smoothly converging variant of Bi-CG for the solution of nonsymmetric
        linear systems" (1992).
    """
    shadow = r = b - A(x)
    one = np.ones((), b.dtype)[()] + 0 * r.sum()  # of the kind that the later values are: one for each example
    state = x, r, 0 * r, 0 * r, one, one, one, _real_dot(r, r), 0

    def go_on(x: Any, r: Any, p: Any, v: Any, rho: Any, alpha: Any, omega: Any, rr: Any, k: Any) -> Any:
        return (rr > limit) & (k < maxiter) & (rho != 0) & (omega != 0)  # the method breaks down at zeros

    def step(x: Any, r: Any, p: Any, v: Any, rho: Any, alpha: Any, omega: Any, rr: Any, k: Any) -> tuple:
        new = _dot(shadow, r)
        p = r + new / _divisor(rho) * (alpha / _divisor(omega)) * (p - omega * v)
        y = p if M is None else M(p)
        v = A(y)
        alpha = new / _divisor(_dot(shadow, v))
        s = r - alpha * v
        z = s if M is None else M(s)
        t = A(z)
        omega = _dot(t, s) / _divisor(_dot(t, t))
        x, r = x + alpha * y + omega * z, s - omega * t
        return x, r, p, v, new, alpha, omega, _real_dot(r, r), k + 1

    x, *_, rr, k = repeat(go_on, step, state)
    return x, k, rr


def gmres(A: Map, M: Map | None, b: Any, x: Any, limit: Any, maxiter: int, restart: int) -> tuple[Any, Any, Any]:
    """For any A. A step is a cycle, which minimises M times the residual over a Krylov space.

    Arguments:
        restart: the dimension of that space.
        others: as for `conjugate_gradients`.

    Source: Saad and Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems"
        (1986).
    """

    def residual(x: Any) -> tuple:
        r = b - A(x)
        z = r if M is None else M(r)
        rr = _real_dot(r, r)
        return z, rr, rr if M is None else _real_dot(z, z)

    z, rr, zz = residual(x)

    def go_on(x: Any, z: Any, rr: Any, zz: Any, before: Any, k: Any) -> Any:
        return (rr > limit) & (k < maxiter) & (zz < before)  # after a cycle that gains nothing no other will

    def step(x: Any, z: Any, rr: Any, zz: Any, before: Any, k: Any) -> tuple:
        x = x + _cycle(A, M, z, zz**0.5, restart)
        return x, *residual(x), zz, k + 1

    x, _, rr, _, _, k = repeat(go_on, step, (x, z, rr, zz, zz + np.inf, 0))
    return x, k, rr


def _cycle(A: Map, M: Map | None, z: Any, size: Any, restart: int) -> Any:
    """The vector of the Krylov space of M A and z that M A brings nearest to z, which is of this size."""
    basis = [z / _divisor(size)]
    columns = []
    for k in range(restart):
        w = A(basis[k])
        w = w if M is None else M(w)
        whole = _real_dot(w, w) ** 0.5
        Q = np.stack(basis)
        h: Any = 0
        for _ in range(2):  # once more takes away what rounding left
            part = Q.conj() @ w
            w, h = w - part @ Q, h + part
        left = _real_dot(w, w) ** 0.5
        left = np.where(left > np.finfo(z.dtype).eps * whole, left, 0)  # the space is exhausted: no further direction
        basis.append(np.where(left > 0, w / _divisor(left), 0))
        columns.append(np.concatenate([h, left.reshape(1).astype(h.dtype), np.zeros(restart - k - 1, h.dtype)]))
    H = np.stack(columns, axis=1)
    y = np.linalg.pinv(H)[:, 0] * size
    return y @ np.stack(basis[:restart])


def _dot(x: Any, y: Any) -> Any:
    return np.vdot(x, y)


def _real_dot(x: Any, y: Any) -> Any:
    return np.vdot(x, y).real


def _divisor(x: Any) -> Any:
    """What to divide by: a zero means that the numerator is zero too."""
    return x + (x == 0)
