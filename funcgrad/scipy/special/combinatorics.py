"""Numbers of selections and arrangements, continued to real numbers, and Bernoulli's numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError, UnsupportedError
from funcgrad.numpy import where
from funcgrad.numpy.convert import asarray
from funcgrad.ops import complex_gamma
from funcgrad.ops.scipy_kernels import scipy_special
from funcgrad.scipy.special.declare import floats, public
from funcgrad.scipy.special.gamma_functions import gamma, poch

__all__ = ["bernoulli", "binom", "comb", "factorial", "perm"]


binom = public(
    complex_gamma.binom, "binom", "x y", "The binomial coefficient of real numbers, elementwise.", "5.0, 2.0", "10."
)


def comb(N: ArrayLike, k: ArrayLike, *, exact: bool = False, repetition: bool = False) -> Float[Array, "..."]:
    """The number of ways to choose k things of N, elementwise; 0 where there is none.

    Arguments:
        N, k: arrays.
        exact: True is refused: an exact number is an int of Python, math.comb.
        repetition: whether a thing may be chosen again.

    Raises:
        UnsupportedError: exact is set.

    Example:
        >>> from funcgrad.scipy.special import comb
        >>> comb(5.0, 2.0)
        Array(10., dtype=float64)
    """
    _refuse_exact("comb", "math.comb(N, k)", exact)
    N, k = floats("comb", (N, k))
    if repetition:
        nothing = (k == 0) & (N >= 0)
        return where(nothing, 1.0, binom(where(nothing, 1.0, N + k - 1), k))
    return _inside((k <= N) & (N >= 0) & (k >= 0), binom, N, k)


def perm(N: ArrayLike, k: ArrayLike, exact: bool = False) -> Float[Array, "..."]:
    """The number of arrangements of k things of N, elementwise; 0 where there is none.

    Arguments:
        N, k: arrays.
        exact: True is refused: an exact number is an int of Python, math.perm.

    Raises:
        UnsupportedError: exact is set.

    Example:
        >>> from funcgrad.scipy.special import perm
        >>> perm(5.0, 2.0)
        Array(20., dtype=float64)
    """
    _refuse_exact("perm", "math.perm(N, k)", exact)
    N, k = floats("perm", (N, k))
    return _inside((k <= N) & (N >= 0) & (k >= 0), lambda N, k: poch(N - k + 1, k), N, k)


def factorial(n: ArrayLike, exact: bool = False) -> Float[Array, "..."]:
    """The factorial, gamma(n + 1), elementwise; 0 where n is negative.

    Arguments:
        n: an array.
        exact: True is refused: an exact number is an int of Python, math.factorial.

    Raises:
        UnsupportedError: exact is set.

    Example:
        >>> from funcgrad.scipy.special import factorial
        >>> factorial(5.0)
        Array(120., dtype=float64)
    """
    _refuse_exact("factorial", "math.factorial(n)", exact)
    (n,) = floats("factorial", (n,))
    negative = n < 0
    return where(negative, 0.0, gamma(where(negative, 0.0, n) + 1))


def bernoulli(n: int) -> Float[Array, " n+1"]:
    """Bernoulli's numbers, from that of index 0 to that of index n.

    Example:
        >>> from funcgrad.scipy.special import bernoulli
        >>> bernoulli(2)
        Array([ 1.        , -0.5       ,  0.16666667], dtype=float64)
    """
    if not isinstance(n, (int, np.integer)) or n < 0:
        raise ArgumentError(f"bernoulli: n must be an int that is not negative, got {n!r}")
    return asarray(scipy_special("bernoulli").bernoulli(n)[: n + 1])


def _refuse_exact(name: str, instead: str, exact: bool) -> None:
    if exact:
        raise UnsupportedError(f"{name}(exact=True) gives an int of Python, which no array holds: use {instead}")


def _inside(there: Array, f: Any, N: Array, k: Array) -> Array:
    """f(N, k) where there is something to count, 0 elsewhere."""
    return where(there, f(where(there, N, 1.0), where(there, k, 1.0)), 0.0)
