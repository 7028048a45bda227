"""Normal numbers, and what is made of them: truncated, log-normal, Maxwell, in many dimensions, orthogonal matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike, Float, Inexact
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy import linalg
from funcgrad.numpy.einsums import einsum
from funcgrad.numpy.elementwise import clip
from funcgrad.numpy.shapes import expand_dims, matrix_transpose
from funcgrad.numpy.ufuncs import exp, nextafter, sign, sqrt
from funcgrad.ops.erf_inv import erf_inv
from funcgrad.ops.error_functions import erf
from funcgrad.ops.random_bits import standard_normal
from funcgrad.ops.structural import stop
from funcgrad.random.arguments import common_shape, floating, inexact, lengths, one_key, parameter
from funcgrad.random.uniforms import child, draw_between, draw_signs, draw_unit

__all__ = [
    "double_sided_maxwell",
    "lognormal",
    "maxwell",
    "multivariate_normal",
    "normal",
    "orthogonal",
    "truncated_normal",
]


def normal(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Inexact[Array, "..."]:
    """Numbers of the normal distribution with mean 0 and variance 1.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: floating or complex, by default float64. Of a complex number each part has variance 1/2.

    Returns:
        An array of that shape and dtype. For another mean and deviation write `mean + deviation * normal(key, shape)`,
        which is differentiable in both.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is neither floating nor complex.

    Example:
        >>> fg.random.normal(fg.random.key(0), (3,))
        Array([-0.20584214, -0.78476578,  1.81608667], dtype=float64)
    """
    words = one_key("normal", key)
    return draw_normal(words, lengths("normal", shape), _inexact_dtype("normal", dtype))


def _inexact_dtype(name: str, dtype: Any) -> np.dtype:
    kind = np.dtype(np.float64 if dtype is None else dtype)
    if kind.char not in "efdFD":
        raise ArgumentError(f"{name}: dtype must be a floating or complex dtype, got {kind}")
    return kind


def draw_normal(key: Array, shape: tuple[int, ...], dtype: np.dtype) -> Any:
    """Normal numbers from checked arguments."""
    if dtype.kind != "c":
        return standard_normal(draw_unit(key, shape, dtype), dtype)
    part = np.dtype(dtype.char.lower())
    real, imag = (draw_normal(child(key, i), shape, part).astype(dtype) for i in (0, 1))
    return (real + imag * dtype.type(1j)) / dtype.type(math.sqrt(2))


def truncated_normal(
    key: ArrayLike, lower: ArrayLike, upper: ArrayLike, shape: Sequence[int] | None = None, dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of the standard normal distribution that lie between two bounds.

    Arguments:
        key: a key.
        lower, upper: the bounds, numbers or arrays that broadcast to shape. The result is differentiable in them.
        shape: of the result; by default that of the bounds.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or the bounds do not fit it.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.truncated_normal(fg.random.key(0), -1.0, 1.0, (3,))
        Array([-0.13999612, -0.50631466,  0.90652156], dtype=float64)
    """
    name = "truncated_normal"
    words, kind = one_key(name, key), floating(name, dtype)
    low, high = parameter(name, "lower", lower, kind), parameter(name, "upper", upper, kind)
    wanted = common_shape(name, shape, lower=low, upper=high)
    root = kind.type(math.sqrt(2))
    found = erf_inv(draw_between(words, wanted, kind, erf(low / root), erf(high / root))) * root
    # Rounding could carry a number out of the bounds.
    return clip(found, nextafter(stop(low), kind.type(math.inf)), nextafter(stop(high), kind.type(-math.inf)))


def lognormal(
    key: ArrayLike, sigma: ArrayLike = 1.0, shape: Sequence[int] | None = None, dtype: Any = None
) -> Inexact[Array, "..."]:
    """Numbers whose logarithm is normal with mean 0 and deviation sigma.

    Arguments:
        key: a key.
        sigma: a number, or an array that broadcasts to shape. The result is differentiable in it.
        shape: of the result; by default that of sigma.
        dtype: floating or complex, by default float64.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or sigma does not fit it.
        ArgumentError: dtype is neither floating nor complex.

    Example:
        >>> fg.random.lognormal(fg.random.key(0), 0.1, (3,))
        Array([0.97962619, 0.92452371, 1.19914484], dtype=float64)
    """
    words, kind = one_key("lognormal", key), _inexact_dtype("lognormal", dtype)
    scale = parameter("lognormal", "sigma", sigma, kind)
    return exp(draw_normal(words, common_shape("lognormal", shape, sigma=scale), kind) * scale)


def multivariate_normal(
    key: ArrayLike,
    mean: ArrayLike,
    cov: ArrayLike,
    shape: Sequence[int] | None = None,
    dtype: Any = None,
    method: str = "cholesky",
) -> Float[Array, "..."]:
    """Vectors of the normal distribution with a mean and a covariance.

    Arguments:
        key: a key.
        mean: of shape (..., n). The result is differentiable in it.
        cov: symmetric positive definite matrices of shape (..., n, n). The result is differentiable in them.
        shape: of the array of vectors, to which the axes before the last of mean, and the last two of cov, broadcast;
            by default that to which they broadcast.
        dtype: in which the numbers are drawn; by default that of mean and cov.
        method: how cov is factored: "cholesky", or "svd" or "eigh", which also work if it is singular.

    Returns:
        An array of shape (*shape, n).

    Raises:
        ArgumentError, ShapeError: key is no key or several, mean and cov do not fit each other or shape, or the method
            is unknown.
        ArgumentError: dtype is not floating.

    Example:
        >>> mean, cov = fnp.array([1.0, 2.0]), fnp.array([[2.0, 0.5], [0.5, 1.0]])
        >>> fg.random.multivariate_normal(fg.random.key(0), mean, cov, (3,)).shape
        (3, 2)
    """
    name = "multivariate_normal"
    words = one_key(name, key)
    if method not in ("cholesky", "svd", "eigh"):
        raise ArgumentError(f'{name}: method must be "cholesky", "svd" or "eigh", got {method!r}')
    centre, spread = inexact(name, "mean", mean), inexact(name, "cov", cov)
    common = np.result_type(centre.dtype, spread.dtype)
    centre, spread = centre.astype(common), spread.astype(common)
    kind = floating(name, dtype, default=common)
    if centre.ndim < 1 or spread.ndim < 2 or spread.shape[-2:] != (centre.shape[-1],) * 2:
        raise ShapeError(
            f"{name}: mean must be of shape (..., n) and cov of shape (..., n, n), got mean {centre.shape} and cov "
            f"{spread.shape}"
        )
    wanted = common_shape(name, shape, mean=centre.shape[:-1], cov=spread.shape[:-2])
    noise = draw_normal(words, (*wanted, centre.shape[-1]), kind)
    return centre + einsum("...ij,...j->...i", _root(spread, method), noise)


def _root(cov: Array, method: str) -> Array:
    """A matrix F with F Fᵀ = cov."""
    if method == "cholesky":
        return linalg.cholesky(cov)
    if method == "svd":
        vectors, values, _ = linalg.svd(cov)
    else:
        values, vectors = linalg.eigh(cov)
    return vectors * sqrt(values[..., None, :])


def maxwell(key: ArrayLike, shape: Sequence[int] = (), dtype: Any = None) -> Float[Array, "..."]:
    """Numbers of Maxwell's distribution: the length of a vector of three normal numbers.

    Arguments:
        key: a key.
        shape: of the result.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that shape and dtype.

    Raises:
        ArgumentError, ShapeError: key is no key or several, or shape no shape.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.maxwell(fg.random.key(0), (3,))
        Array([1.98906991, 0.42460738, 1.24030791], dtype=float64)
    """
    words, kind = one_key("maxwell", key), floating("maxwell", dtype)
    return _draw_maxwell(words, lengths("maxwell", shape), kind)


def _draw_maxwell(key: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    return linalg.norm(draw_normal(key, (*shape, 3), dtype), axis=-1)


def double_sided_maxwell(
    key: ArrayLike, loc: ArrayLike, scale: ArrayLike, shape: Sequence[int] = (), dtype: Any = None
) -> Float[Array, "..."]:
    """Numbers of Maxwell's distribution with a random sign, scaled and moved.

    Arguments:
        key: a key.
        loc, scale: numbers or arrays, in which the result is differentiable.
        shape: of the array of samples.
        dtype: float16, float32 or float64, the default.

    Returns:
        An array of that dtype. Its shape is `shape`, or that of loc and scale if shape is empty, followed by that of
        loc and scale.

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, or loc and scale do not fit each other.
        ArgumentError: dtype is not floating.

    Example:
        >>> fg.random.double_sided_maxwell(fg.random.key(0), 1.0, 0.5, (3,))
        Array([ 1.99230602, -0.2391037 ,  0.18325925], dtype=float64)
    """
    name = "double_sided_maxwell"
    words, kind = one_key(name, key), floating(name, dtype)
    centre, spread = parameter(name, "loc", loc, kind), parameter(name, "scale", scale, kind)
    own = common_shape(name, None, loc=centre, scale=spread)
    wanted = (lengths(name, shape) or own) + own
    signs = draw_signs(child(words, 1), wanted, kind)
    return signs * _draw_maxwell(child(words, 0), wanted, kind) * spread + centre


def orthogonal(
    key: ArrayLike, n: int, shape: Sequence[int] = (), dtype: Any = None, m: int | None = None
) -> Inexact[Array, "... n m"]:
    """Orthogonal matrices, uniformly distributed; unitary ones if dtype is complex.

    Arguments:
        key: a key.
        n: the number of rows.
        shape: of the array of matrices.
        dtype: floating or complex, by default float64.
        m: the number of columns, by default n. If it is not n, the rows or the columns, whichever are fewer, are
            orthonormal.

    Returns:
        An array of shape (*shape, n, m).

    Raises:
        ArgumentError, ShapeError: key is no key or several, shape no shape, n or m no number of rows or columns.
        ArgumentError: dtype is neither floating nor complex.

    Example:
        >>> q = fg.random.orthogonal(fg.random.key(0), 3)
        >>> fnp.allclose(q @ q.T, fnp.eye(3))
        Array(True, dtype=bool)
    """
    words, kind = one_key("orthogonal", key), _inexact_dtype("orthogonal", dtype)
    wanted = lengths("orthogonal", shape)
    rows, columns = lengths("orthogonal", (n, n if m is None else m), "n, m")
    q, r = linalg.qr(draw_normal(words, (*wanted, max(rows, columns), min(rows, columns)), kind))
    q = q * expand_dims(sign(linalg.diagonal(r)), -2)
    return matrix_transpose(q) if rows < columns else q
