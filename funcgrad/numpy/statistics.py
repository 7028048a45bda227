"""Weighted averages, covariances and correlations."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import Tracer
from funcgrad.core.types import ArrayLike, Shaped
from funcgrad.errors import NoValueError
from funcgrad.numpy import reductions
from funcgrad.numpy.reductions import axes, shaped
from funcgrad.ops.structural import stop

__all__ = ["average", "corrcoef", "cov"]


def average(
    a: ArrayLike,
    axis: int | tuple[int, ...] | None = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Weighted average along axes.

    Arguments:
        a: the array.
        axis: one axis or several; None for all.
        weights: like a, or of the shape of the axes; by default all are one. They are differentiated as well.
        returned: whether to return the pair (average, sum of weights).
        keepdims: whether the axes stay, with length one.

    Returns:
        The average, or the pair.

    Raises:
        TypeError, ValueError: the shape of the weights does not go with a and axis.
        ZeroDivisionError: the weights add up to zero.

    Example:
        >>> fnp.average(fnp.array([1.0, 5.0]), weights=[3, 1])
        Array(2., dtype=float64)
    """
    x = shaped(a)
    if weights is None:
        result = reductions.mean(x, axis, keepdims=keepdims)
        total = wrap(np.asarray(x.size / result.size if result.size else 0.0, result.dtype))
    else:
        w = _fitting_weights(shaped(weights), x, axis)
        dtype = np.result_type(x.dtype, w.dtype, *(["f8"] if x.dtype.kind in "biu" else []))
        total = reductions.sum(w, axis, dtype, keepdims=keepdims)
        if _has_zero(total):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        product = np.multiply(x if x.dtype == dtype else x.astype(dtype), w)
        result = reductions.sum(product, axis, dtype, keepdims=keepdims) / total
    if not returned:
        return result
    return result, wrap(np.broadcast_to(total, result.shape))


def _fitting_weights(w: Any, x: Any, axis: Any) -> Any:
    """Weights in a shape that broadcasts to that of x."""
    if w.shape == x.shape:
        return np.broadcast_to(w, x.shape)
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    along = axes(axis, x.ndim)
    if w.shape != tuple([x.shape[i] for i in along]):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    w = np.transpose(w, np.argsort(along))
    w = w.reshape([n if i in along else 1 for i, n in enumerate(x.shape)])
    return np.broadcast_to(w, x.shape)


def _has_zero(x: Any) -> bool:
    """Whether some element is zero, as far as the values are known."""
    try:
        return bool((shaped(x)._concrete("the sum of weights") == 0).any())
    except NoValueError:
        return False


def cov(
    m: ArrayLike,
    y: ArrayLike | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: float | None = None,
    fweights: ArrayLike | None = None,
    aweights: ArrayLike | None = None,
    *,
    dtype: Any = None,
) -> Shaped[Array, "..."]:
    """Covariance matrix of variables.

    Arguments:
        m: the observations: each row is a variable (each column if not `rowvar`), or one variable.
        y: further variables, in the same form.
        rowvar: whether variables are rows.
        bias: whether to divide by the number of observations instead of that number minus one.
        ddof: divide by the number of observations minus this; it overrides `bias`.
        fweights: how often each observation occurs, integers.
        aweights: the weight of each observation; differentiated as well.
        dtype: of the result, at least float64 by default for integers.

    Returns:
        The matrix; for one variable its variance.

    Raises:
        ValueError: m has more than two axes, or ddof is no integer.
        RuntimeError, TypeError: weights of a wrong shape or kind.

    Example:
        >>> fnp.cov(fnp.array([[1.0, 3.0], [0.0, 4.0]]))
        Array([[2., 4.],
               [4., 8.]], dtype=float64)
    """
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    x = shaped(m)
    others = None if y is None else shaped(y)
    if x.ndim > 2 or (others is not None and others.ndim > 2):
        raise ValueError("cov takes arrays of at most 2 dimensions")
    if dtype is None:
        dtype = np.result_type(x.dtype, np.float64 if others is None else np.result_type(others.dtype, np.float64))
    x = _variables(x, rowvar)
    if others is not None:
        x = np.concatenate((x, _variables(others, rowvar)), axis=0)
    x = x if x.dtype == dtype else x.astype(dtype)
    n = x.shape[1]
    ddof = (0 if bias else 1) if ddof is None else int(ddof)
    w = _observation_weights(fweights, aweights, n)
    if w is None:
        mean, freedom = reductions.mean(x, 1, keepdims=True), n - ddof
    else:
        total = reductions.sum(w)
        mean = reductions.sum(x * w, 1, keepdims=True) / total
        if ddof == 0:
            freedom = total
        elif aweights is None:
            freedom = total - ddof
        else:
            freedom = total - ddof * reductions.sum(w * shaped(aweights)) / total
    d = x - mean
    conjugate = np.conj(d) if d.dtype.kind == "c" else d
    product = np.matmul(d, (conjugate if w is None else conjugate * w).T)
    if not isinstance(freedom, Tracer) and freedom <= 0:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=2)
        freedom = 0.0
    return wrap(np.squeeze(product / freedom))


def _variables(x: Any, rowvar: bool) -> Any:
    """Observations as a matrix whose rows are variables."""
    if x.ndim < 2:
        return x.reshape(1, -1)
    return x if rowvar else x.T


def _observation_weights(fweights: Any, aweights: Any, n: int) -> Any:
    """The product of both kinds of weights, or None."""
    w = None
    for name, given in (("fweights", fweights), ("aweights", aweights)):
        if given is None:
            continue
        given = shaped(given)
        if given.ndim != 1:
            raise RuntimeError(f"{name} must have one dimension, got shape {given.shape}")
        if given.shape[0] != n:
            raise RuntimeError(f"incompatible numbers of samples and {name}: {n} and {given.shape[0]}")
        if name == "fweights" and given.dtype.kind not in "iu":
            raise TypeError(f"fweights must be integer, got {given.dtype}")
        if not isinstance(given, Tracer) and (np.asarray(given) < 0).any():
            raise ValueError(f"{name} cannot be negative")
        w = given if w is None else w * given
    return w


def corrcoef(
    x: ArrayLike, y: ArrayLike | None = None, rowvar: bool = True, *, dtype: Any = None
) -> Shaped[Array, "..."]:
    """Matrix of the correlation coefficients of variables: the covariance matrix, scaled to ones on its diagonal.

    Arguments:
        x, y, rowvar, dtype: as for `cov`.

    Returns:
        The matrix; for one variable 1.

    Example:
        >>> fnp.corrcoef(fnp.array([[1.0, 3.0], [4.0, 0.0]]))
        Array([[ 1., -1.],
               [-1.,  1.]], dtype=float64)
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    deviation = np.sqrt(np.diagonal(c).real)
    c = c / deviation[:, None] / deviation[None, :]
    # Rounding may lead out of [-1, 1]. Adding the excess as a constant leaves the derivative as it is at the border.
    excess = _excess(c.real) + 1j * _excess(c.imag) if c.dtype.kind == "c" else _excess(c)
    return c - excess


def _excess(c: Any) -> Any:
    return stop(c) - np.clip(stop(c), -1, 1)
