"""Roots, fixed points and minima as functions of parameters: `root`, `fixed_point`, `minimize`.

SciPy does the search where it is installed, with exact derivatives; `method="newton"` and `fixed_point` need no SciPy.
The result has derivatives with respect to the parameters, those in `args` and those that the function closes over, by
the implicit function theorem. None goes through the search, so it does not matter how long that took, but it must have
found something: if it has not, `success` says so, and asking for a derivative is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.faces import publish
from funcgrad.core.types import PYTHON_NUMBERS, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, ConvergenceError, ShapeError
from funcgrad.numpy import absolute, asarray
from funcgrad.numpy.convert import inexact
from funcgrad.scipy.implicit import moving, searched
from funcgrad.scipy.newton import newton
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.grad import grad, value_and_grad
from funcgrad.transforms.jacobian import jacfwd
from funcgrad.transforms.ravel_pytree import ravel_pytree
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["ConvergenceError", "OptimizeResults", "RootResults", "fixed_point", "minimize", "root"]

FLAT = 1e-5  # what SciPy takes for a vanishing gradient if not told otherwise
_BOOL, _INT = ShapeDtypeStruct((), bool), ShapeDtypeStruct((), np.int64)


class RootResults(NamedTuple):
    """What `root` gives. It is a pytree.

    Attributes:
        x: the root, like x0.
        success: whether it is one.
        status: what the method says about its end.
        fun: the value of the function there, as a vector.
        nfev: how often the function was evaluated.
    """

    x: Any
    success: Array
    status: Array
    fun: Array
    nfev: Array


class OptimizeResults(NamedTuple):
    """What `minimize` gives. It is a pytree.

    Attributes:
        x: the minimum, like x0.
        success: whether the search converged.
        status: what the method says about its end.
        fun: the value of the function there.
        jac: its gradient there, like x0; for complex numbers its parts are those with respect to their parts.
        hess_inv: an estimate of the inverse of its Hessian there, as one matrix, or None.
        nfev, njev, nit: how often the function and its gradient were evaluated, and how many steps there were.
    """

    x: Any
    success: Array
    status: Array
    fun: Array
    jac: Array
    hess_inv: Array | None
    nfev: Array
    njev: Array
    nit: Array


def root(
    fun: Callable,
    x0: PyTree,
    args: Any = (),
    method: str = "hybr",
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> RootResults:
    """Find x with fun(x, *args) = 0.

    Arguments:
        fun: a function of a pytree of arrays like x0 that gives as many numbers, in an array or a pytree.
        x0: where to start; it has no derivative.
        args: further arguments, a tuple: pytrees of arrays.
        method: a method of `scipy.optimize.root`, or "newton", which is used without SciPy too.
        tol: how exact the root is to be; by default what the method takes.
        options: for SciPy's method; for "newton" `maxiter`.

    Returns:
        The results. `x` has derivatives of any order with respect to args and to what fun closes over.

    Raises:
        ShapeError: fun gives more or fewer numbers than x0 has.
        ConvergenceError: a derivative is asked for of an x that is no root. In a batch it is NaN for that example.
        ImportError: the method needs SciPy.

    Example:
        >>> from funcgrad.scipy.optimize import root
        >>> def kepler(e):  # the eccentric anomaly for mean anomaly 1
        ...     return root(lambda x: x - e * fg.numpy.sin(x) - 1.0, 1.0, method="newton").x
        >>> kepler(0.1), fg.grad(kepler)(0.1)
        (Array(1.08859775, dtype=float64), Array(0.92906069, dtype=float64))
    """
    args = args if isinstance(args, tuple) else (args,)
    start, unravel = _start(x0, "root")

    def f(v: Any) -> list[Any]:
        y = _vector(fun(unravel(v), *args))
        if y.shape != start.shape:
            raise ShapeError(
                f"root: the function must give as many numbers as there are unknowns, {start.size}, but it gives "
                f"{y.size}"
            )
        return [y]

    if method == "hybr" and _scipy() is None:
        method = "newton"
    vector = ShapeDtypeStruct(start.shape, start.dtype)

    def search(f: Callable, x: Any) -> list[Any]:
        def g(v: Any) -> np.ndarray:
            return np.asarray(f(wrap(v.astype(start.dtype)))[0])

        def jacobian(v: Any) -> np.ndarray:
            return np.asarray(jacfwd(lambda v: f(v)[0])(v.astype(start.dtype)))

        if method == "newton":
            found = newton(
                g, jacobian, np.asarray(x), 1e-8 if tol is None else tol, **{"maxiter": 100, **(options or {})}
            )
            return [found.x, found.converged, 1 if found.converged else 2, g(found.x), found.evaluations]
        given = {"jac": jacobian} if method in ("hybr", "lm") else {}
        sol = _required(f"root with method={method!r}").root(
            g, np.asarray(x), method=method, tol=tol, options=options, **given
        )
        return [sol.x, sol.success, getattr(sol, "status", 0), sol.fun, getattr(sol, "nfev", 0)]

    x, success, status, y, nfev = searched(f, start, search, [vector, _BOOL, _INT, vector, _INT], "root")
    why = (
        f"root: the search by method {method!r} did not converge, so x is no root and has no derivative. Look at "
        f"`success`; start nearer to the root, or give options more steps"
    )
    if method == "lm":  # it minimises the squares, which need not reach zero
        before = absolute(stop_gradient(f(start)[0])).max(initial=1.0)
        success = success & (absolute(y).max(initial=0.0) <= 1e-6 * before)
    x = moving(f, x, success, "root", why)
    return RootResults(unravel(x), success, status, y, nfev)


def fixed_point(
    func: Callable, x0: PyTree, args: Any = (), xtol: float = 1e-8, maxiter: int = 500, method: str = "del2"
) -> PyTree:
    """Find x with func(x, *args) = x by applying func again and again.

    Arguments:
        func: a function of a pytree of arrays like x0 that gives one like it.
        x0: where to start; it has no derivative.
        args: further arguments, a tuple: pytrees of arrays.
        xtol: the relative change of each element at which the iteration ends.
        maxiter: the most steps.
        method: "iteration", or "del2", which accelerates its convergence element by element as Steffensen did.

    Returns:
        The fixed point, with derivatives of any order with respect to args and to what func closes over. They are those
        of the root of x − func(x), so they do not go through the iteration.

    Raises:
        ConvergenceError: no fixed point was found in maxiter steps.
        ShapeError: func gives more or fewer numbers than x0 has.

    Example:
        >>> from funcgrad.scipy.optimize import fixed_point
        >>> def f(c):
        ...     return fixed_point(lambda x: fnp.cos(c * x), 1.0)
        >>> f(1.0), fg.grad(f)(1.0)
        (Array(0.73908513, dtype=float64), Array(-0.29747434, dtype=float64))
    """
    if method not in ("del2", "iteration"):
        raise ArgumentError(f"fixed_point: method must be 'del2' or 'iteration', got {method!r}")
    args = args if isinstance(args, tuple) else (args,)
    start, unravel = _start(x0, "fixed_point")

    def f(v: Any) -> list[Any]:
        y = _vector(func(unravel(v), *args))
        if y.shape != start.shape:
            raise ShapeError(
                f"fixed_point: the function must give as many numbers as it takes, {start.size}, but it gives {y.size}"
            )
        return [y]

    def search(f: Callable, x: Any) -> list[Any]:
        with np.errstate(over="ignore", invalid="ignore"):  # on the way to infinity
            return [_iterated(f, np.asarray(x), xtol, maxiter, method == "del2", unravel)]

    (x,) = searched(f, start, search, [ShapeDtypeStruct(start.shape, start.dtype)], "fixed_point")
    return unravel(moving(lambda v: [v - f(v)[0]], x, wrap(np.True_), "fixed_point", "it was found"))


def _iterated(
    f: Callable, x: np.ndarray, xtol: float, maxiter: int, accelerated: bool, unravel: Callable
) -> np.ndarray:
    """The fixed point of f, from x.

    Raises:
        ConvergenceError: it was not found.
    """
    for _ in range(maxiter):
        y = np.asarray(f(wrap(x))[0])
        if accelerated:
            z = np.asarray(f(wrap(y))[0])
            bend = z - 2 * y + x
            y = np.where(bend == 0, z, x - (y - x) ** 2 / (bend + (bend == 0)))
        if not np.isfinite(y).all():
            break
        size = np.where(x == 0, 1, np.abs(x))
        if (np.abs(y - x) < xtol * size).all():
            z = np.asarray(f(wrap(y))[0])
            if (np.abs(z - y) < np.sqrt(xtol) * size).all():
                return y
            y = z  # it stood still for another reason: a bend so large that the acceleration moved nothing
        x = y
    raise ConvergenceError(
        f"fixed_point: failed to converge after {maxiter} steps, the last value is {unravel(wrap(x))}. Start nearer "
        f"to the fixed point, or raise maxiter; where the iteration moves away from it, use root instead"
    )


def minimize(
    fun: Callable,
    x0: PyTree,
    args: tuple = (),
    *,
    method: str,
    tol: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Find the x for which fun(x, *args) is least, in its neighbourhood.

    Arguments:
        fun: a function of a pytree of arrays like x0 that gives a real scalar.
        x0: where to start; it has no derivative.
        args: further arguments: pytrees of arrays.
        method: a method of `scipy.optimize.minimize` that takes a gradient: "BFGS", "L-BFGS-B", "CG", "Newton-CG",
            "trust-exact", … Gradients and Hessians are made here.
        tol: how exact the minimum is to be; by default what the method takes.
        options: for SciPy's method.

    Returns:
        The results. `x` has derivatives of any order with respect to args and to what fun closes over, those of the
        point where the gradient is zero; and so has `fun`. They are as exact as x is: for more digits ask for a smaller
        `gtol` in options.

    Raises:
        ConvergenceError: a derivative is asked for of an x that is no minimum: the search had no success, and an
            element of the gradient is larger than 1e-5. In a batch the derivative of that example is NaN.
        ImportError: SciPy is not installed.

    Example:
        >>> from funcgrad.scipy.optimize import minimize
        >>> def ridge(penalty):  # least squares with a penalty, for one weight
        ...     loss = lambda w: fnp.sum((w * fnp.array([1.0, 2.0]) - 3.0) ** 2) + penalty * fnp.sum(w**2)
        ...     return minimize(loss, fnp.zeros(1), method="BFGS", options={"gtol": 1e-9}).x[0]
        >>> ridge(4.0), fg.grad(ridge)(4.0)
        (Array(1., dtype=float64), Array(-0.11111111, dtype=float64))

    Source: the convention is that of `jax.scipy.optimize.minimize`
        (https://docs.jax.dev/en/latest/_autosummary/jax.scipy.optimize.minimize.html).
    """
    if not isinstance(args, tuple):
        raise ArgumentError(f"args argument to minimize must be a tuple, got {args!r}; write args=({args!r},)")
    name = _METHODS.get(method.lower(), method)
    settings = {k: v for k, v in (options or {}).items() if k != "line_search_maxiter"}  # a setting of JAX's search
    start, unravel = _start(x0, "minimize")

    def f(v: Any) -> Any:
        return fun(unravel(v), *args)

    def search(f: Callable, x: Any) -> list[Any]:
        def value_and_gradient(v: Any) -> tuple[float, np.ndarray]:
            value, g = f(wrap(v.astype(start.dtype)))
            return float(value), np.asarray(g, float)

        def hessian(v: Any) -> np.ndarray:
            return np.asarray(jacfwd(lambda v: f(v)[1])(v.astype(start.dtype)), float)

        given = {"hess": hessian} if name.lower() in _SECOND_ORDER else {}
        sol = _required("minimize").minimize(
            value_and_gradient, np.asarray(x, float), method=name, jac=True, tol=tol, options=settings, **given
        )
        g = sol.jac if hasattr(sol, "jac") else value_and_gradient(sol.x)[1]
        found = [sol.x, sol.success, sol.status, g, sol.nfev, getattr(sol, "njev", sol.nfev), sol.nit]
        return [*found, sol.hess_inv] if name == "BFGS" else found

    vector = ShapeDtypeStruct(start.shape, start.dtype)
    kinds = [vector, _BOOL, _INT, vector, _INT, _INT, _INT]
    if name == "BFGS":
        kinds.append(ShapeDtypeStruct((start.size, start.size), start.dtype))
    x, success, status, g, nfev, njev, nit, *estimate = searched(
        lambda v: value_and_grad(f)(v), start, search, kinds, "minimize"
    )
    why = (
        f"minimize: the search by method {method!r} did not converge, so x is no minimum and has no derivative. Look "
        f"at `success` and `jac`; start nearer to the minimum, or change options"
    )
    # a search that was asked for more digits than there are ends without success, though at the minimum
    found = success | (absolute(g).max(initial=0.0) <= FLAT)
    x = moving(lambda v: [grad(f)(v)], x, found, "minimize", why)
    hess_inv = estimate[0] if estimate else None
    return OptimizeResults(unravel(x), success, status, asarray(f(x)), unravel(g), hess_inv, nfev, njev, nit)


# JAX's spellings, and SciPy's own where it matters that SciPy's documentation be found.
_METHODS = {"bfgs": "BFGS", "l-bfgs-experimental-do-not-rely-on-this": "L-BFGS-B"}
_SECOND_ORDER = ("newton-cg", "dogleg", "trust-ncg", "trust-krylov", "trust-exact", "trust-constr")


def _start(x0: PyTree, name: str) -> tuple[Array, Callable]:
    """x0 as one vector of floats without derivatives, and the way back."""
    if isinstance(x0, (list, tuple)) and {type(v) for v in tree.leaves(x0)} <= PYTHON_NUMBERS:
        x0 = np.asarray(x0)  # a vector written out, as one gives it to SciPy
    values, _ = input_values((x0,), name, ("x0",))
    leaves = [inexact(v) for v in values]
    vector, unravel = ravel_pytree(_parts(leaves))
    structure = tree.structure(x0)

    def back(v: Any) -> PyTree:
        return structure.unflatten([p[0] if len(p) == 1 else p[0] + 1j * p[1] for p in unravel(v)])

    return stop_gradient(vector), back


def _vector(y: PyTree) -> Any:
    """The result of a function as one vector of real numbers."""
    values, _ = output_values(y, "the function")
    return ravel_pytree(_parts(values))[0]


def _parts(leaves: list[Any]) -> list[tuple]:
    """Real and imaginary part of each leaf that is complex; both are unknowns."""
    return [(x.real, x.imag) if x.dtype.kind == "c" else (x,) for x in leaves]


def _scipy() -> ModuleType | None:
    """scipy.optimize, or None if SciPy is not installed."""
    try:
        return import_module("scipy.optimize")
    except ImportError:
        return None


def _required(what: str) -> ModuleType:
    found = _scipy()
    if found is None:
        raise ImportError(f"{what} leaves the search to SciPy, which is not installed: pip install 'funcgrad[scipy]'")
    return found


publish(__name__, source="scipy.optimize")
