"""`grad` and `value_and_grad`: a few lines over vjp, and the checks that keep them from giving wrong numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.core.tape import reachable
from funcgrad.core.trace import uniform
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.transforms.argnums import argument_numbers, chosen_arguments, without_gradient
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.loans import Loans
from funcgrad.transforms.vjp import pulled, recorded
from funcgrad.transforms.whole import whole
from funcgrad.transforms.wraps import wraps


def value_and_grad(
    f: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable:
    """A function that gives the value of a scalar function together with its gradient.

    Arguments:
        f: a function whose result is a scalar (shape `()`), real unless `holomorphic`.
        argnums: which positional arguments to differentiate with respect to. An int gives one gradient, a sequence of
            ints gives a tuple of them. Each argument is a pytree of arrays.
        has_aux: whether f returns a pair (value, aux), of which aux is not differentiated.
        holomorphic: whether f is a holomorphic function of complex arguments.
        allow_int: whether integer leaves are allowed; their gradients are zeros of dtype float0.

    Returns:
        A function with the arguments of f that gives `(value, gradient)`, or `((value, aux), gradient)`. The gradient
        of a real function of a complex argument is the conjugate of the direction of steepest ascent, as in JAX.

    Raises:
        ShapeError: the value is not a scalar.
        ArgumentError: an argument or the value has a dtype without gradients, or argnums names no argument.

    Example:
        >>> fg.value_and_grad(lambda w: fnp.sum(w ** 2))(fnp.array([1.0, 2.0]))
        (Array(5., dtype=float64), Array([2., 4.], dtype=float64))

    Source: the convention is that of `jax.value_and_grad`.
    """
    run = _differentiator(f, argnums, has_aux, holomorphic, allow_int, "value_and_grad")

    @wraps(f, f"Value and gradient of {{}} with respect to positional argument(s) {argnums}.")
    def value_and_gradient_of_f(*args: Any, **kwargs: Any) -> tuple:
        value, aux, gradient = run(args, kwargs)
        return ((value, aux) if has_aux else value), gradient

    return whole(f, ("value_and_grad", argnums, has_aux, holomorphic, allow_int), value_and_gradient_of_f)


def grad(
    f: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable:
    """A function that gives the gradient of a scalar function.

    Arguments:
        f, argnums, has_aux, holomorphic, allow_int: as for `value_and_grad`.

    Returns:
        A function with the arguments of f that gives the gradient, or `(gradient, aux)`.

    Raises:
        ShapeError, ArgumentError: as for `value_and_grad`.

    Example:
        >>> fg.grad(lambda x: np.sum(np.sin(x) ** 2))(np.array([0.0, np.pi / 4]))
        Array([0., 1.], dtype=float64)

    Source: the convention is that of `jax.grad`.
    """
    run = _differentiator(f, argnums, has_aux, holomorphic, allow_int, "grad")

    @wraps(f, f"Gradient of {{}} with respect to positional argument(s) {argnums}.")
    def gradient_of_f(*args: Any, **kwargs: Any) -> PyTree:
        _, aux, gradient = run(args, kwargs)
        return (gradient, aux) if has_aux else gradient

    return whole(f, ("grad", argnums, has_aux, holomorphic, allow_int), gradient_of_f)


def _differentiator(
    f: Callable, argnums: Any, has_aux: bool, holomorphic: bool, allow_int: bool, name: str
) -> Callable[[tuple, dict], tuple]:
    """A function that gives (value, aux, gradient) of f at positional and keyword arguments."""
    if not callable(f):
        raise ArgumentError(f"{name} takes a function, got {f!r} of type {type(f).__name__}")
    numbers = argument_numbers(argnums, name)
    several = isinstance(argnums, Sequence)
    refuse = without_gradient(holomorphic, allow_int)

    def run(args: tuple, kwargs: dict) -> tuple:
        g, chosen, places = chosen_arguments(f, numbers, args, kwargs, name)
        loans = Loans()
        try:
            values, in_tree = input_values(chosen, name, places, refuse, loans=loans)
            inputs, results, ends, out_tree, aux = recorded(g, values, in_tree, has_aux, name, loans)
            value = out_tree.unflatten(results)
            _check_output(value, holomorphic, name)
            seeds = {e: uniform(1, (), value.dtype) for e in ends if e is not None}
            found = pulled(reachable(seeds), inputs, seeds, release=True)
            if loans.some:  # what is given back must not show memory of the caller
                value, aux = loans.outside(value), tree.map(loans.outside, aux)
                found = [loans.kept(x) for x in found]
        finally:
            loans.give_back()
        gradients = in_tree.unflatten([x if x.dtype.kind == "V" else wrap(x) for x in found])
        return value, aux, gradients if several else gradients[0]

    return run


def _check_output(value: Any, holomorphic: bool, name: str) -> None:
    if value is None:
        raise ArgumentError(
            f"Gradient only defined for scalar-output functions. {name} needs one scalar array, but the function "
            f"returned None. Is its `return` missing?"
        )
    if not isinstance(value, Array):
        raise ArgumentError(
            f"Gradient only defined for scalar-output functions. {name} needs one scalar array, but the result is a "
            f"{type(value).__name__} of structure {tree.structure(value)}. "
            f"If the further values are not to be differentiated, return (value, aux) and use has_aux=True"
        )
    if value.shape != ():
        raise ShapeError(
            f"Gradient only defined for scalar-output functions. Output had shape: {value.shape}. Reduce it, e.g. with "
            f"funcgrad.numpy.sum, or use funcgrad.vjp in the place of {name}, which takes a cotangent of that shape"
        )
    kind = value.dtype.kind
    if holomorphic:
        if kind != "c":
            raise ArgumentError(
                f"{name} with holomorphic=True requires outputs with complex dtype, but got {value.dtype}. A real "
                f"function is not holomorphic: leave the option out"
            )
    elif kind != "f":
        raise ArgumentError(
            f"{name} requires real-valued outputs (output dtype that is a sub-dtype of np.floating), but got "
            f"{value.dtype}. "
            + (
                "For a holomorphic function use holomorphic=True; otherwise differentiate a real function of the "
                "result, such as its real part, or use funcgrad.vjp"
                if kind == "c"
                else "Integers and booleans have no derivatives"
            )
        )
