"""Jacobians and Hessians: `jacfwd`, `jacrev`, `jacobian`, `hessian`.

A derivative is a linear map, and its matrix is what it makes of the unit vectors. `jvp` maps a unit vector of the
arguments to a column of the Jacobian, a pullback maps a unit vector of the result to a row, and `vmap` does it for all
unit vectors at once. Only tangents and cotangents are batched: the function itself runs once, on plain values.

Arguments and results are pytrees. The Jacobian is a tree like the result, in which each leaf is replaced by a tree like
the arguments, and each leaf of that is a block of shape (*result leaf, *argument leaf).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, is_inexact, wrap
from funcgrad.core.trace import abstract, uniform, zeros
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError
from funcgrad.transforms.argnums import argument_numbers, chosen_arguments, not_complex, without_gradient
from funcgrad.transforms.arguments import float0, input_values
from funcgrad.transforms.jvp import push
from funcgrad.transforms.vjp import record
from funcgrad.transforms.vmap import BatchTrace
from funcgrad.transforms.whole import whole
from funcgrad.transforms.wraps import wraps


def jacfwd(
    f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., PyTree]:
    """A function that gives the Jacobian of a function, all columns at once, in forward mode.

    The mode of choice where the result has more elements than the arguments, and to differentiate once more what is a
    gradient already.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        argnums: which positional arguments to differentiate with respect to. Each is a pytree of arrays that are real
            unless `holomorphic`.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.
        holomorphic: whether f is a holomorphic function of complex arguments.

    Returns:
        A function with the arguments of f that gives the Jacobian, or `(jacobian, aux)`. In the place of each leaf of
        the result the Jacobian has a pytree like the argument (with a sequence for argnums a tuple of them) whose
        leaves have the shape of the result's leaf followed by that of the argument's, and the dtype of the result's.
        Those of an integer result are zeros.

    Raises:
        ArgumentError: an argument has a dtype without tangents, or argnums names no argument.

    Example:
        >>> fg.jacfwd(lambda x: fnp.stack([x[0] * x[1], x[1] ** 2]))(fnp.array([2.0, 3.0]))
        Array([[3., 2.],
               [0., 6.]], dtype=float64)

    Source: the convention is that of `jax.jacfwd` (https://docs.jax.dev/en/latest/_autosummary/jax.jacfwd.html).
    """
    numbers, several = _prepare(f, argnums, "jacfwd")

    def refuse(x: Any, dtype: np.dtype) -> tuple[str, str] | None:
        if dtype.kind == "c" if holomorphic else is_inexact(dtype) and dtype.kind != "c":
            return None
        if holomorphic:
            return not_complex(dtype)
        return (
            f"requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but got {dtype}",
            "For a holomorphic function use holomorphic=True; for other functions of complex or integer arguments use "
            "funcgrad.jvp",
        )

    @wraps(f, f"Jacobian of {{}} with respect to positional argument(s) {argnums}.")
    def jacobian_of_f(*args: Any, **kwargs: Any) -> PyTree:
        g, chosen, places = chosen_arguments(f, numbers, args, kwargs, "jacfwd")
        values, in_tree = input_values(chosen, "jacfwd", places, refuse)
        known: Any = None  # what is no function of the tangents: the result, its structure, aux

        def linear(tangents: list[Any]) -> list[Any]:
            nonlocal known
            outs, found, *rest = push(g, values, tangents, in_tree, has_aux, "jacfwd")
            known = outs, *rest
            return found

        columns = _images(linear, values, ColumnsTrace("jacfwd", _size(values)))
        outs, out_tree, aux = known
        n = _size(values)
        blocks = []
        for k, (o, c) in enumerate(zip(outs, columns, strict=True)):
            if holomorphic and o.dtype.kind != "c":
                raise _wrong_result("jacfwd", out_tree.unflatten(outs), k, *_NOT_COMPLEX)
            if c is None:
                c = zeros((n, *o.shape), o.dtype)
            parts = _parts(c if n <= 1 else c.transpose((*range(1, c.ndim), 0)), values, (...,))
            block = in_tree.unflatten([_block(p, o.shape + v.shape) for p, v in zip(parts, values, strict=True)])
            blocks.append(block if several else block[0])
        jacobian = out_tree.unflatten(blocks)
        return (jacobian, aux) if has_aux else jacobian

    return whole(f, ("jacfwd", argnums, has_aux, holomorphic), jacobian_of_f)


def jacrev(
    f: Callable,
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., PyTree]:
    """A function that gives the Jacobian of a function, all rows at once, in reverse mode.

    The mode of choice where the arguments have more elements than the result.

    Arguments:
        f: a function of pytrees of arrays that returns one, real unless `holomorphic`.
        argnums: which positional arguments to differentiate with respect to. Each is a pytree of arrays.
        has_aux: whether f returns a pair (result, aux), of which aux is not differentiated.
        holomorphic: whether f is a holomorphic function of complex arguments.
        allow_int: whether integer leaves are allowed; the Jacobian with respect to them is zeros of their dtype.

    Returns:
        A function with the arguments of f that gives the Jacobian, or `(jacobian, aux)`. It has the structure that
        `jacfwd` gives it; its leaves have the dtypes of the arguments.

    Raises:
        ArgumentError: an argument or the result has a dtype without gradients, or argnums names no argument.

    Example:
        >>> fg.jacrev(lambda p: fnp.sum(p["w"] * p["x"]))({"w": fnp.array([1.0, 2.0]), "x": 3.0})
        {'w': Array([3., 3.], dtype=float64), 'x': Array(3., dtype=float64)}

    Source: the convention is that of `jax.jacrev` (https://docs.jax.dev/en/latest/_autosummary/jax.jacrev.html).
    """
    numbers, several = _prepare(f, argnums, "jacrev")

    @wraps(f, f"Jacobian of {{}} with respect to positional argument(s) {argnums}.")
    def jacobian_of_f(*args: Any, **kwargs: Any) -> PyTree:
        g, chosen, places = chosen_arguments(f, numbers, args, kwargs, "jacrev")
        values, in_tree = input_values(chosen, "jacrev", places, without_gradient(holomorphic, allow_int))
        out, pullback, aux = record(g, values, in_tree, has_aux, "jacrev")
        kinds = [kind for _, kind in pullback.outputs]
        for k, kind in enumerate(kinds):
            _check_result(out, k, kind.dtype, holomorphic)

        def linear(cotangents: list[Any]) -> list[Any]:
            seeds: dict[Any, Any] = {}
            for (e, _), ct in zip(pullback.outputs, cotangents, strict=True):
                if e is not None:
                    seeds[e] = seeds[e] + ct if e in seeds else ct
            return [None if x.dtype == float0 else x for x in pullback.pull(seeds, release=True)]

        n = _size(kinds)
        found = []  # for each leaf of the arguments the blocks of all leaves of the result
        for v, rows in zip(values, _images(linear, kinds, BatchTrace("jacrev", _size(kinds))), strict=True):
            if rows is None:
                rows = zeros((n, *v.shape), v.dtype)
            parts = _parts(rows, kinds)
            found.append([_block(p, kind.shape + v.shape) for p, kind in zip(parts, kinds, strict=True)])
        blocks = [in_tree.unflatten([f[k] for f in found]) for k in range(len(kinds))]
        jacobian = pullback.out_tree.unflatten(blocks if several else [b[0] for b in blocks])
        return (jacobian, aux) if has_aux else jacobian

    return whole(f, ("jacrev", argnums, has_aux, holomorphic, allow_int), jacobian_of_f)


jacobian = jacrev


def hessian(
    f: Callable, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., PyTree]:
    """A function that gives the second derivatives of a function: forward mode over reverse mode.

    Arguments:
        f, argnums, has_aux, holomorphic: as for `jacfwd`.

    Returns:
        A function with the arguments of f that gives the Hessian, or `(hessian, aux)`: in the place of each leaf of the
        result a pytree like the argument, in that for each leaf a pytree like the argument again. A leaf has the shape
        of the result's leaf followed by those of two leaves of the argument; for a scalar function of a vector it is
        the symmetric matrix of second derivatives.

    Raises:
        ArgumentError: as for `jacfwd` and `jacrev`.

    Example:
        >>> fg.hessian(lambda x: x[0] ** 2 * x[1])(fnp.array([3.0, 5.0]))
        Array([[10.,  6.],
               [ 6.,  0.]], dtype=float64)

    Source: the convention is that of `jax.hessian` (https://docs.jax.dev/en/latest/_autosummary/jax.hessian.html).
    """
    return jacfwd(jacrev(f, argnums, has_aux, holomorphic), argnums, has_aux, holomorphic)


def _prepare(f: Callable, argnums: Any, name: str) -> tuple[tuple[int, ...], bool]:
    """The argnums as a tuple, and whether they were given as a sequence."""
    if not callable(f):
        raise ArgumentError(f"{name} takes a function, got {f!r} of type {type(f).__name__}")
    return argument_numbers(argnums, name), isinstance(argnums, Sequence)


class ColumnsTrace(BatchTrace):
    """Runs primitives on a batch of tangents.

    An operation that holds functions is kept whole if it is linear in them. Otherwise it has results that are no
    tangents, too, so it is run on its parts, and what depends on primals alone is not in the batch.
    """

    __slots__ = ()

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return super().process_call(call, args) if call.linear([self.own(a) for a in args]) else call.evaluate(*args)


def _images(linear: Callable[[list[Any]], list[Any]], kinds: Sequence[Any], trace: BatchTrace) -> list[Any]:
    """What a linear map makes of each unit vector of the space of all elements of kinds, along an axis in front.

    Arguments:
        linear: takes a list with a raw array for each of kinds, gives a list of raw arrays, or None for zeros.
        kinds: what has the shapes and dtypes of its arguments.
        trace: for a batch of as many vectors as there are.

    Returns:
        A list like that which `linear` gives. If there is just one element, or none, there is no axis in front.
    """
    n = trace.size
    if n <= 1:
        return linear([uniform(1, k.shape, k.dtype) for k in kinds])
    with trace:
        found = linear([trace.tracer(b) for b in _basis(kinds, n)])
        return [x if x is None else x._value if trace.own(x) else np.broadcast_to(x, (n, *x.shape)) for x in found]


def _basis(kinds: Sequence[Any], n: int) -> list[Any]:
    """The unit vectors of the space of all elements of kinds, n of them, along an axis in front."""
    if abstract() is not None:
        return [uniform(0, (n, *k.shape), k.dtype) for k in kinds]
    found = []
    for k, place in zip(kinds, _places(kinds), strict=True):
        part = np.zeros((n, k.size), k.dtype)
        np.fill_diagonal(part[place], 1)
        found.append(part.reshape((n, *k.shape)))
    return found


def _size(kinds: Iterable[Any]) -> int:
    return sum([k.size for k in kinds])


def _places(kinds: Iterable[Any]) -> list[slice]:
    """Where the elements of each of kinds are if all are counted through."""
    return [slice(a, b) for a, b in pairwise(accumulate([k.size for k in kinds], initial=0))]


def _parts(images: Any, kinds: Sequence[Any], before: tuple = ()) -> list[Any]:
    """For each of kinds the images of its unit vectors, which are counted by the axis after those of `before`."""
    if len(kinds) == 1 or _size(kinds) <= 1:
        return [images] * len(kinds)
    return [images[(*before, place)] for place in _places(kinds)]


def _block(x: Any, shape: tuple[int, ...]) -> Array:
    """A part of the Jacobian in its shape. If it has no elements there may be nothing in x to make it of."""
    if x.shape != shape:
        x = x.reshape(shape) if math.prod(shape) else np.zeros(shape, x.dtype)
    return wrap(x)


_NOT_COMPLEX = ("with holomorphic=True requires outputs with complex dtype", "Leave holomorphic out for real functions")


def _check_result(out: PyTree, place: int, dtype: np.dtype, holomorphic: bool) -> None:
    if holomorphic:
        if dtype.kind != "c":
            raise _wrong_result("jacrev", out, place, *_NOT_COMPLEX)
    elif dtype.kind == "c" or not is_inexact(dtype):
        raise _wrong_result(
            "jacrev",
            out,
            place,
            "requires real-valued outputs (output dtype that is a sub-dtype of np.floating)",
            "For a holomorphic function use holomorphic=True; otherwise differentiate the real and the imaginary part, "
            "or use funcgrad.vjp"
            if dtype.kind == "c"
            else "Integers and booleans have no derivatives; return them with has_aux=True",
        )


def _wrong_result(name: str, out: PyTree, place: int, requires: str, remedy: str) -> ArgumentError:
    path, leaf = tree.leaves_with_path(out)[place]
    where = f" at {tree.keystr(path)}" if path else ""
    return ArgumentError(f"{name} {requires}, but got {leaf.dtype} for the result of the function{where}. {remedy}")
