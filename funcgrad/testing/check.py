"""Checks of derivatives against finite differences, and of the two modes against each other.

A derivative is checked along one random direction, which costs a few evaluations whatever the size of the arguments and
misses a wrong entry with probability zero. Finite differences are central and of fourth order: at step 1e-3 their error
is near 1e-12, so tolerances can be tight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.types import PyTree
from funcgrad.errors import ArgumentError, type_text
from funcgrad.transforms.arguments import float0
from funcgrad.transforms.jvp import jvp
from funcgrad.transforms.vjp import vjp


def check_grads(
    f: Callable,
    args: Any,
    order: int = 1,
    modes: Sequence[str] = ("fwd", "rev"),
    atol: float | None = None,
    rtol: float | None = None,
    eps: float | None = None,
    *,
    seed: int = 0,
) -> None:
    """Check the derivatives of a function, to some order, in forward and reverse mode.

    Arguments:
        f: a function of pytrees of arrays that returns one, smooth around `args`.
        args: the tuple of its arguments, in double precision where they are to be differentiated.
        order: how often to differentiate; the derivative of order k is checked by differences of that of order k - 1,
            for every combination of modes.
        modes: "fwd" (jvp), "rev" (vjp), or both.
        atol, rtol: the largest error that passes, absolute (by default 1e-8) and relative to the largest entry (1e-6).
        eps: the step of the finite differences (1e-3).
        seed: of the random directions.

    Raises:
        AssertionError: a derivative is wrong; the message says which, and both numbers.
        ArgumentError: an argument is of lower precision, or a mode is unknown.

    Example:
        >>> from funcgrad.testing import check_grads
        >>> check_grads(lambda x: fnp.sum(fnp.tanh(x) ** 3), (fnp.array([0.5, -1.0]),), order=3)

    Source: the recursion into derivatives of derivatives is that of `check_grads` in HIPS autograd and JAX.
    """
    if not isinstance(args, (tuple, list)):
        raise ArgumentError(
            f"check_grads takes the arguments of the function as a tuple, got {type_text(args)}. For a function of one "
            f"argument write check_grads(f, (x,))"
        )
    unknown = set(modes) - {"fwd", "rev"}
    if unknown or not modes:
        raise ArgumentError(f'modes must be "fwd", "rev" or both, got {tuple(modes)!r}')
    for path, x in tree.leaves_with_path(tuple(args)):
        if getattr(x, "dtype", None) in (np.float16, np.float32, np.complex64):
            raise ArgumentError(
                f"check_grads: argument {tree.keystr(path)} has dtype {x.dtype}, too coarse for finite differences; "
                f"give it in double precision"
            )
    atol, rtol, eps = (d if x is None else x for x, d in ((atol, 1e-8), (rtol, 1e-6), (eps, 1e-3)))
    _check(f, tuple(args), order, tuple(modes), rtol, atol, eps, np.random.default_rng(seed), ())


def check_jvp(f: Callable, args: tuple, **options: Any) -> None:
    """Check forward mode against finite differences; `check_grads` of order 1 in mode "fwd"."""
    check_grads(f, args, 1, ("fwd",), **options)


def check_vjp(f: Callable, args: tuple, **options: Any) -> None:
    """Check reverse mode against finite differences; `check_grads` of order 1 in mode "rev"."""
    check_grads(f, args, 1, ("rev",), **options)


def check_adjoint(f: Callable, args: tuple, rtol: float = 1e-9, seed: int = 0) -> None:
    """Check that forward and reverse mode are transposes of each other: ⟨w, J t⟩ = ⟨Jᵀ w, t⟩.

    No differences are taken, so this is exact up to rounding. For complex values the pairing is the real part of the
    sum of products, without conjugation, which is the convention of `vjp`.

    Arguments:
        f: a function of pytrees of arrays that returns one.
        args: the tuple of its arguments.
        rtol: the largest error that passes, relative to the sum of the absolute terms.
        seed: of the random directions.

    Raises:
        AssertionError: the two sides differ.

    Example:
        >>> from funcgrad.testing import check_adjoint
        >>> check_adjoint(lambda x, y: fnp.sin(x) @ y, (fnp.ones(3), fnp.ones(3)))
    """
    rng = np.random.default_rng(seed)
    tangents = _direction(args, rng)
    out, out_tangent = jvp(f, tuple(args), tangents)
    w = _direction(out, rng)
    cotangents = vjp(f, *args)[1](w)
    left, scale = _pair(w, out_tangent)
    right, other = _pair(cotangents, tangents)
    limit = rtol * (1 + max(scale, other))
    assert abs(left - right) <= limit or (np.isnan(left) and np.isnan(right)), (
        f"forward and reverse mode disagree: <w, J t> = {left}, <J' w, t> = {right}"
    )


def numerical_jvp(f: Callable, args: tuple, tangents: tuple, step: float = 1e-3) -> PyTree:
    """The derivative of f along tangents by central differences of fourth order, as a list of ndarrays."""

    def at(s: float) -> list[np.ndarray]:
        return [np.asarray(x) for x in tree.leaves(f(*_moved(args, tangents, s)))]

    one, two = step, 2 * step
    samples = zip(at(two), at(one), at(-one), at(-two), strict=True)
    return [
        np.zeros(p1.shape) if p1.dtype.kind not in "fc" else (8 * (p1 - m1) - (p2 - m2)) / (12 * step)
        for p2, p1, m1, m2 in samples
    ]


def _check(
    f: Callable,
    args: tuple,
    order: int,
    modes: tuple[str, ...],
    rtol: float,
    atol: float,
    step: float,
    rng: np.random.Generator,
    done: tuple[str, ...],
) -> None:
    tangents = _direction(args, rng)
    expected = numerical_jvp(f, args, tangents, step)
    out = f(*args)
    w = _direction(out, rng)
    for mode in modes:
        path = " of ".join((*reversed((*done, mode)),))
        if mode == "fwd":
            got = [np.asarray(t) for t in tree.leaves(jvp(f, args, tangents)[1])]
            for k, (e, g) in enumerate(zip(expected, got, strict=True)):
                if g.dtype != float0:
                    _close(e, g, rtol, atol, f"{path}: jvp of result {k}")
        else:
            cts = vjp(f, *args)[1](w)
            left, size = _pair(tree.leaves(w), expected)
            right, scale = _pair(cts, tangents)
            _close(np.asarray(left), np.asarray(right), 0.0, atol + rtol * max(size, scale), f"{path}: vjp")
        if order > 1:
            if mode == "fwd":

                def derivative(*xs: Any) -> Any:
                    return _inexact(jvp(f, xs, tangents)[1])

            else:

                def derivative(*xs: Any) -> Any:
                    return _inexact(vjp(f, *xs)[1](w))

            _check(derivative, args, order - 1, modes, rtol * 10, atol * 10, step, rng, (*done, mode))


def _inexact(x: PyTree) -> list[Any]:
    return [leaf for leaf in tree.leaves(x) if leaf.dtype != float0]


def _close(expected: Any, got: Any, rtol: float, atol: float, what: str) -> None:
    assert expected.shape == got.shape, f"{what}: expected shape {expected.shape}, got {got.shape}"
    if expected.size == 0:
        return
    limit = atol + rtol * np.nanmax(np.abs(expected), initial=0.0)
    wrong = ~(np.abs(expected - got) <= limit) & ~(np.isnan(expected) & np.isnan(got))
    assert not wrong.any(), (
        f"{what}: finite differences give\n{expected}\nbut the rules give\n{got}\n"
        f"funcgrad.explain(f, *args) says where paths are cut off from the gradient"
    )


def _direction(args: PyTree, rng: np.random.Generator) -> Any:
    """A random tangent (or cotangent) for a pytree: zeros of float0 for integers."""

    def draw(x: Any) -> Any:
        x = np.asarray(x)
        if x.dtype.kind not in "fc":
            return np.zeros(x.shape, float0)
        t = rng.standard_normal(x.shape)
        if x.dtype.kind == "c":
            t = t + 1j * rng.standard_normal(x.shape)
        return np.asarray(t).astype(x.dtype)

    return tree.map(draw, args)


def _moved(args: tuple, tangents: tuple, s: float) -> tuple:
    def move(x: Any, t: Any) -> Any:
        return x if t.dtype == float0 else np.asarray(x) + s * t

    return tree.map(move, args, tangents)


def _pair(a: PyTree, b: PyTree) -> tuple[float, float]:
    """The pairing of a cotangent with a tangent, and the sum of the absolute terms."""
    total = scale = 0.0
    for x, y in zip(tree.leaves(a), tree.leaves(b), strict=True):
        x, y = np.asarray(x), np.asarray(y)
        if x.dtype == float0 or y.dtype == float0:
            continue
        terms = np.real(x * y)
        total += float(np.sum(terms))
        scale += float(np.sum(np.abs(terms)))
    return total, scale
