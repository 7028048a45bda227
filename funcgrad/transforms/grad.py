"""`grad` and `value_and_grad`: a few lines over vjp, and the checks that keep them from giving wrong numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, wrap
from funcgrad.errors import ArgumentError, ShapeError, type_text
from funcgrad.transforms.arguments import input_values
from funcgrad.transforms.vjp import record


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
        >>> import funcgrad as fg, funcgrad.numpy as fnp
        >>> fg.value_and_grad(lambda w: fnp.sum(w ** 2))(fnp.array([1.0, 2.0]))
        (Array(5., dtype=float64), Array([2., 4.], dtype=float64))

    Source: the convention is that of `jax.value_and_grad`.
    """
    return _differentiator(f, argnums, has_aux, holomorphic, allow_int, "value_and_grad", _value_and_grad)


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
        >>> import numpy as np, funcgrad as fg
        >>> fg.grad(lambda x: np.sum(np.sin(x) ** 2))(np.array([0.0, np.pi / 4]))
        Array([0., 1.], dtype=float64)

    Source: the convention is that of `jax.grad`.
    """
    return _differentiator(f, argnums, has_aux, holomorphic, allow_int, "grad", _grad)


def _differentiator(
    f: Callable, argnums: Any, has_aux: bool, holomorphic: bool, allow_int: bool, name: str, arrange: Callable
) -> Callable:
    if not callable(f):
        raise ArgumentError(f"{name} takes a function, got {f!r} of type {type(f).__name__}")
    numbers = _argnums(argnums, name)
    single = not isinstance(argnums, Sequence)

    @functools.wraps(f, assigned=("__module__", "__name__", "__qualname__", "__doc__"))
    def differentiated(*args: Any, **kwargs: Any) -> Any:
        value, aux, gradients = _run(f, numbers, has_aux, holomorphic, allow_int, name, args, kwargs)
        gradient = gradients[0] if single else gradients
        return arrange(value, aux, gradient, has_aux)

    return differentiated


def _grad(value: Any, aux: Any, gradient: Any, has_aux: bool) -> Any:
    return (gradient, aux) if has_aux else gradient


def _value_and_grad(value: Any, aux: Any, gradient: Any, has_aux: bool) -> Any:
    return ((value, aux) if has_aux else value), gradient


def _run(
    f: Callable,
    numbers: tuple[int, ...],
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool,
    name: str,
    args: tuple,
    kwargs: dict,
) -> tuple:
    """(value, aux, tuple of gradients) of f at these arguments."""
    places = [_position(n, len(args), name) for n in numbers]
    if len(set(places)) < len(places):
        raise ArgumentError(f"{name}: argnums={numbers} names an argument twice")
    chosen = tuple([args[n] for n in places])

    def refuse(x: Any, dtype: np.dtype) -> str | None:
        if dtype.kind == "c" or (dtype.kind == "f" and not holomorphic):
            return None
        if holomorphic:
            return f"must be complex, for holomorphic=True; got {_what(x)}"
        if allow_int:
            return None
        return (
            f"must be of a floating or complex dtype to have a gradient, got {_what(x)}. Pass "
            f"{f'a float, such as {float(x)!r}' if isinstance(x, int) else 'x.astype(float)'}, choose other arguments "
            f"with argnums, or allow_int=True for zero gradients of dtype float0"
        )

    values, in_tree = input_values(chosen, name, places, refuse)
    if not kwargs and len(places) == len(args) and places == sorted(places):
        g = f
    else:

        def g(*xs: Any) -> Any:
            full = list(args)
            for n, x in zip(places, xs, strict=True):
                full[n] = x
            return f(*full, **kwargs)

    value, pullback, aux = record(g, values, in_tree, has_aux, name)
    _check_output(value, holomorphic, name)
    (e, kind) = pullback.outputs[0]
    seed = kind.dtype.type(1)
    gradients = pullback.in_tree.unflatten(
        [x if x.dtype.kind == "V" else wrap(x) for x in pullback.pull({} if e is None else {e: seed}, release=True)]
    )
    return value, aux, gradients


def _argnums(argnums: Any, name: str) -> tuple[int, ...]:
    try:
        numbers = tuple([index(n) for n in argnums]) if isinstance(argnums, Sequence) else (index(argnums),)
    except TypeError:
        numbers = ()
    if not numbers:
        raise ArgumentError(f"{name}: argnums must be an int or a non-empty sequence of ints, got {argnums!r}")
    return numbers


def _position(n: int, count: int, name: str) -> int:
    """The position of an argument, from an argnum that may be negative."""
    if not -count <= n < count:
        raise ArgumentError(
            f"{name}: argnums={n} needs at least {n + 1 if n >= 0 else -n} positional arguments, but the function was "
            f"called with {count}. Arguments to be differentiated must be passed by position"
        )
    return n % count


def _what(x: Any) -> str:
    return type_text(x) if hasattr(x, "dtype") else f"{x!r} of type {type(x).__name__}"


def _check_output(value: Any, holomorphic: bool, name: str) -> None:
    if not isinstance(value, Array):
        raise ArgumentError(
            f"{name} needs a function whose result is one scalar array, but the result is a "
            f"{type(value).__name__} of structure {tree.structure(value)}. "
            f"If the further values are not to be differentiated, return (value, aux) and use has_aux=True"
        )
    if value.shape != ():
        raise ShapeError(
            f"{name} needs a function whose result is a scalar, but the result has shape {value.shape}. "
            f"Reduce it, e.g. with funcgrad.numpy.sum, or use funcgrad.vjp, which takes a cotangent of that shape"
        )
    kind = value.dtype.kind
    if holomorphic and kind != "c":
        raise ArgumentError(f"{name} with holomorphic=True needs a complex result, got dtype {value.dtype}")
    if not holomorphic and kind == "c":
        raise ArgumentError(
            f"{name} needs a real result, got dtype {value.dtype}. For a holomorphic function use holomorphic=True; "
            f"otherwise differentiate a real function of the result, such as its real part, or use funcgrad.vjp"
        )
    if kind not in "fc":
        raise ArgumentError(
            f"{name} needs a function with a floating result, got dtype {value.dtype}: integers and booleans have no "
            f"derivatives"
        )
