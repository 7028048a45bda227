"""`quad` and `fixed_quad`: integrals of functions.

`quad` searches for the places where the integrand asks for many evaluations, so it runs outside all transforms, in
SciPy. Its derivatives are integrals as well, by Leibniz's rule:

    d ∫ f(x, c) dx = ∫ (∂f/∂c) dc dx + f(b, c) db − f(a, c) da,    and back:    c̄ = ∫ (∂f/∂c)ᵀ g dx.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import Array, raw, wrap
from funcgrad.core.types import ArrayLike, Float, Inexact, PyTree, ShapeDtypeStruct
from funcgrad.errors import ArgumentError, NoValueError, UnsupportedError, type_text
from funcgrad.numpy import broadcast_to, isfinite, stack, sum, where
from funcgrad.numpy.convert import asarray
from funcgrad.scipy.ode import taped
from funcgrad.scipy.vectors import Vectors
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.bodies import Batched, FunctionBody, PullbackBody, Pushforward
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close
from funcgrad.transforms.linear_solve import zeros_for
from funcgrad.transforms.vmap import BatchTrace

__all__ = ["fixed_quad", "quad"]


def quad(
    func: Callable,
    a: ArrayLike,
    b: ArrayLike,
    args: PyTree = (),
    full_output: int = 0,
    epsabs: float = 1.49e-8,
    epsrel: float = 1.49e-8,
    limit: int = 50,
    points: Sequence[float] | None = None,
    weight: str | None = None,
    wvar: Any = None,
    wopts: Any = None,
    maxp1: int = 50,
    limlst: int = 50,
    complex_func: bool = False,
) -> tuple[Inexact[Array, ""], Float[Array, ""]]:
    """The integral of a function of one number, by SciPy's adaptive quadrature.

    Arguments:
        func: gives a number for a number x, and args. It may close over values that are being differentiated.
        a, b: the limits, which may be infinite.
        args: a tuple of further arguments of func, pytrees of arrays; what is no tuple is one argument.
        full_output: not supported.
        epsabs, epsrel: the error allowed, absolute and relative. They hold for derivatives as well.
        limit: how often the interval may be divided.
        points: places where the integrand is not smooth.
        weight, wvar, wopts, maxp1, limlst: not supported: multiply with the weight in func.
        complex_func: whether func gives complex numbers.

    Returns:
        The integral, which has derivatives of any order in both modes with respect to a, b, args and what func closes
        over, and an estimate of its error, a constant. A derivative in an infinite limit is zero. In what `points`
        stand for, such as the place of a jump, the integral is differentiated only if it is split there.

    Raises:
        ArgumentError: a limit is no real number, or func does not give one number.
        UnsupportedError: an option that is not there.
        ImportError: SciPy is not installed.

    Example:
        >>> from funcgrad.scipy.integrate import quad
        >>> area = lambda rate: quad(lambda x, r: fnp.exp(-r * x), 0.0, fnp.inf, args=(rate,))[0]
        >>> area(2.0), fg.grad(area)(2.0)
        (Array(0.5, dtype=float64), Array(-0.25, dtype=float64))
    """
    for option, value in (("full_output", full_output), ("weight", weight), ("wvar", wvar), ("wopts", wopts)):
        if value:
            raise UnsupportedError(f"quad does not have the option {option}= (got {value!r})")
    args = args if isinstance(args, tuple) else (args,)
    given, args_tree = input_values(args, "quad", range(3, 3 + len(args)))
    given = [wrap(v) for v in given]
    limits = [wrap(v).astype(float) for v in input_values((a, b), "quad", ("a", "b"))[0] if _is_limit(v)]

    def flat(*xs: Any) -> list[Any]:
        return [_number(func(xs[-1], *args_tree.unflatten(xs[: len(given)])), complex_func)]

    operands = [*given, limits[0]]
    body: Any
    try:
        body, constants, _ = close(flat, operands, "quad", decides=False)
    except NoValueError:  # it decides by values
        form = tree.structure((0,) * len(operands))
        body, constants = UncompiledIntegrand(flat, form, "quad", complex if complex_func else float), []
    how = float(epsabs), float(epsrel), int(limit), None if points is None else tuple(map(float, points))
    value, error = Integral(body, how)(*constants, *given, *limits)
    return value, error


def _is_limit(x: Any) -> bool:
    if np.ndim(x) or x.dtype.kind not in "biuf":
        raise ArgumentError(f"quad: a and b must be real numbers, got {type_text(x)}")
    return True


def _number(y: Any, may_be_complex: bool) -> Array:
    (y, *more), _ = output_values(y, "quad")
    if more or y.size != 1 or (y.dtype.kind == "c" and not may_be_complex):
        raise ArgumentError(f"quad: func must give one {'' if may_be_complex else 'real '}number, got {type_text(y)}")
    y = wrap(y).reshape(())
    return y.astype(complex if may_be_complex else float)


@cache
def _scipy() -> Any:
    try:
        return import_module("scipy.integrate")
    except ImportError:
        raise ImportError("quad is SciPy's, which is not installed: pip install 'funcgrad[scipy]'") from None


class UncompiledIntegrand(FunctionBody):
    """An integrand that calls the user's function.

    Arguments:
        dtype: of what it gives.
    """

    __slots__ = ("dtype",)

    def __init__(self, f: Callable, in_tree: Any, name: str, dtype: Any) -> None:
        super().__init__(f, in_tree, name)
        self.dtype = np.dtype(dtype)

    def __call__(self, *args: Any) -> list[Any]:
        return super().__call__(*map(wrap, args))

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [ShapeDtypeStruct((), self.dtype)]


class Integral(Call):
    """The integrals of what a body gives, from a to b, and an estimate of their error. Its operands are c, a and b.

    Arguments:
        body: the integrands, from c and one number.
        how: epsabs, epsrel, limit, points.
    """

    __slots__ = ("how",)

    def __init__(self, body: Any, how: tuple) -> None:
        super().__init__(body, "quad")
        self.how = how

    def evaluate(self, *args: Any) -> list[Any]:
        *c, a, b = [raw(x) for x in args]
        epsabs, epsrel, limit, points = self.how
        vectors = Vectors(self.kinds([ShapeDtypeStruct(np.shape(x), x.dtype) for x in args])[:-1])

        def integrands(x: float) -> np.ndarray:
            return np.asarray(vectors.join(self.body(*c, np.float64(x))))

        if sum_of(vectors.lengths) == 1 and vectors.dtype.kind == "f":
            value, error = _scipy().quad(lambda x: integrands(x).item(), a, b, (), 0, epsabs, epsrel, limit, points)
            found = np.array([value])
        elif not sum_of(vectors.lengths):
            found, error = np.zeros(0), 0.0
        else:
            found, error = _scipy().quad_vec(integrands, a, b, epsabs, epsrel, limit=limit, points=points)
        return [wrap(v) for v in (*vectors.parts(found), np.float64(error))]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [*self.body.kinds(kinds[:-1]), ShapeDtypeStruct((), np.dtype(float))]

    def at(self, c: Sequence[Any], x: Any) -> list[Any]:
        """The integrands at a limit, zero at infinity."""
        finite = isfinite(x)
        return [where(finite, v, 0.0) for v in self.body(*c, where(finite, x, 0.0))]

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        *c, a, b = primals
        *dc, da, db = tangents
        outs = self(*primals)
        mask = tuple([t is not None for t in dc])
        found: list[Any] = [0.0] * (len(outs) - 1)
        if any(mask):
            constants = [*c, *[t for t in dc if t is not None]]
            body = taped(TangentIntegrand(self.body, mask), [*constants, a])
            found = Integral(body, self.how)(*constants, a, b)[:-1]
        for x, t, sign in ((a, da, -1.0), (b, db, 1.0)):
            if t is not None:
                found = [v + sign * f * t for v, f in zip(found, self.at(c, x), strict=True)]
        return outs, [*map(asarray, found), None]

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs = self(*primals)
        kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs[:-1]]
        return outs, IntegralPullback(self, mask, kinds, primals)

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        size = trace.size
        if mask[-1] or mask[-2]:  # each example has an interval of its own
            rows = [self(*[x[i] if m else x for x, m in zip(args, mask, strict=True)]) for i in range(size)]
            if rows:
                outs = [stack(column) for column in zip(*rows, strict=True)]
                return outs, (True,) * len(outs)
            one = [ShapeDtypeStruct(x.shape[m:], x.dtype) for x, m in zip(args, mask, strict=True)]
            empty = [wrap(np.zeros((0, *k.shape), k.dtype)) for k in self.kinds(one)]
            return empty, (True,) * len(empty)
        body = Batched(self.body, (*mask[:-2], False), size, trace.axis_name)
        *values, error = Integral(taped(body, args[:-1]), self.how)(*args)
        return [*values, broadcast_to(error, (size,))], (True,) * (len(values) + 1)


def sum_of(lengths: Sequence[int]) -> int:
    """The sum of whole numbers."""
    return int(np.sum(lengths))


class TangentIntegrand:
    """The tangents of integrands: from c, the tangents of those marked, and one number."""

    __slots__ = ("body", "mask")

    def __init__(self, body: Any, mask: tuple[bool, ...]) -> None:
        self.body, self.mask = body, mask

    def __call__(self, *args: Any) -> list[Any]:
        i = len(self.mask)
        found = Pushforward(self.body, (*self.mask, False))(*args[:i], args[-1], *args[i:-1])
        return found[len(found) // 2 :]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.body.kinds([*kinds[: len(self.mask)], kinds[-1]])


class CotangentIntegrand:
    """The cotangents of those of c that are marked: from c, a cotangent for each integrand, and one number."""

    __slots__ = ("body", "mask")

    def __init__(self, body: Any, mask: tuple[bool, ...]) -> None:
        self.body, self.mask = body, mask

    def __call__(self, *args: Any) -> list[Any]:
        i = len(self.mask)
        return PullbackBody(self.body, (*self.mask, False))(*args[:i], args[-1], *args[i:-1])

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [k for k, m in zip(kinds, self.mask, strict=False) if m]


class IntegralPullback:
    """The pullback of an `Integral`, which keeps its operands.

    Arguments:
        call: the integral.
        mask: which of its operands are differentiated.
        kinds: of its results, without the error.
        kept: the operands.
    """

    __slots__ = ("call", "kept", "kinds", "mask")

    def __init__(self, call: Integral, mask: tuple[bool, ...], kinds: Sequence[Any], kept: Sequence[Any]) -> None:
        self.call, self.mask, self.kinds, self.kept = call, mask, kinds, [wrap(x) for x in kept]

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        if all(g is None for g in cotangents[:-1]):
            return [None] * int(np.sum(self.mask))
        call, mask = self.call, self.mask[:-2]
        *c, a, b = self.kept
        gs = zeros_for(cotangents[:-1], self.kinds)
        found: list[Any] = []
        if any(mask):
            body = taped(CotangentIntegrand(call.body, mask), [*c, *gs, a])
            found = Integral(body, call.how)(*c, *gs, a, b)[:-1]
        for x, m, sign in ((a, self.mask[-2], -1.0), (b, self.mask[-1], 1.0)):
            if m:
                products = [sum((f * g).real) for f, g in zip(call.at(c, x), gs, strict=True)]
                found.append(sign * sum(stack(products)))
        return found


tree.register_pytree_node(
    IntegralPullback,
    lambda p: (p.kept, (p.call, p.mask, p.kinds)),
    lambda aux, kept: IntegralPullback(aux[0], aux[1], aux[2], kept),
)


def fixed_quad(
    func: Callable, a: ArrayLike, b: ArrayLike, args: PyTree = (), n: int = 5
) -> tuple[Inexact[Array, "..."], None]:
    """The integral of a function by Gauss's rule: exact for polynomials of degree 2 n - 1.

    Arguments:
        func: takes a vector of n numbers, and args; gives an array whose last axis has n elements.
        a, b: the limits, which are finite.
        args: a tuple of further arguments of func.
        n: how often it is evaluated.

    Returns:
        The integral, and None.

    Raises:
        ValueError: a limit is infinite.

    Example:
        >>> from funcgrad.scipy.integrate import fixed_quad
        >>> fixed_quad(lambda x: x**3, 0.0, 2.0)[0]
        Array(4., dtype=float64)
    """
    nodes, weights = np.polynomial.legendre.leggauss(n)
    a, b = asarray(a), asarray(b)
    if any(type(v) is Array and not np.isfinite(np.asarray(v)).all() for v in (a, b)):
        raise ValueError("fixed_quad takes finite limits; use quad")
    half = (b - a) / 2.0
    return half * sum(weights * func(half * (nodes + 1) + a, *args), axis=-1), None
