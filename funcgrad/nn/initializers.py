"""Initial values of parameters: functions of a key, a shape and a dtype, and what makes such functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Inexact, Num
from funcgrad.errors import ArgumentError, ShapeError
from funcgrad.numpy import asarray, broadcast_to, diagonal, moveaxis, sign, sqrt
from funcgrad.numpy import full as filled
from funcgrad.numpy import ones as of_ones
from funcgrad.numpy import zeros as of_zeros
from funcgrad.numpy.linalg import qr
from funcgrad.random import normal as draw_normal
from funcgrad.random import truncated_normal as draw_truncated
from funcgrad.random import uniform as draw_uniform

__all__ = [
    "Initializer",
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "he_normal",
    "he_uniform",
    "kaiming_normal",
    "kaiming_uniform",
    "lecun_normal",
    "lecun_uniform",
    "normal",
    "ones",
    "orthogonal",
    "truncated_normal",
    "uniform",
    "variance_scaling",
    "xavier_normal",
    "xavier_uniform",
    "zeros",
]

Initializer: TypeAlias = Callable[..., Array]
_CUT = 0.87962566103423978  # the deviation of a normal number that is cut off at two deviations


def zeros(key: ArrayLike, shape: Sequence[int], dtype: Any = float) -> Num[Array, "..."]:
    """Zeros; the key is not used.

    Example:
        >>> fg.nn.initializers.zeros(fg.random.key(0), (2,))
        Array([0., 0.], dtype=float64)
    """
    return of_zeros(tuple(shape), dtype)


def ones(key: ArrayLike, shape: Sequence[int], dtype: Any = float) -> Num[Array, "..."]:
    """Ones; the key is not used.

    Example:
        >>> fg.nn.initializers.ones(fg.random.key(0), (2,))
        Array([1., 1.], dtype=float64)
    """
    return of_ones(tuple(shape), dtype)


def constant(value: ArrayLike, dtype: Any = float) -> Initializer:
    """What gives a value everywhere.

    Example:
        >>> fg.nn.initializers.constant(2.0)(fg.random.key(0), (2,))
        Array([2., 2.], dtype=float64)
    """
    return lambda key, shape, dtype=dtype: filled(tuple(shape), value, dtype)


def uniform(scale: float = 1e-2, dtype: Any = float) -> Initializer:
    """What gives numbers that are uniform from 0 to scale.

    Example:
        >>> bool((fg.nn.initializers.uniform(0.5)(fg.random.key(0), (9,)) < 0.5).all())
        True
    """
    return lambda key, shape, dtype=dtype: draw_uniform(key, tuple(shape), dtype) * asarray(scale, dtype)


def normal(stddev: float = 1e-2, dtype: Any = float) -> Initializer:
    """What gives normal numbers with mean 0.

    Example:
        >>> fg.nn.initializers.normal(1.0)(fg.random.key(0), (3,))
        Array([-0.20584214, -0.78476578,  1.81608667], dtype=float64)
    """
    return lambda key, shape, dtype=dtype: draw_normal(key, tuple(shape), dtype) * asarray(stddev, dtype)


def truncated_normal(stddev: float = 1e-2, dtype: Any = float, lower: float = -2.0, upper: float = 2.0) -> Initializer:
    """What gives normal numbers that are cut off at so many deviations.

    Example:
        >>> bool((abs(fg.nn.initializers.truncated_normal(1.0)(fg.random.key(0), (9,))) < 2).all())
        True
    """

    def init(key: ArrayLike, shape: Sequence[int], dtype: Any = dtype) -> Array:
        return draw_truncated(key, lower, upper, tuple(shape), dtype) * asarray(stddev, dtype)

    return init


def variance_scaling(
    scale: float,
    mode: str,
    distribution: str,
    in_axis: int | Sequence[int] = -2,
    out_axis: int | Sequence[int] = -1,
    batch_axis: int | Sequence[int] = (),
    dtype: Any = float,
) -> Initializer:
    """What gives numbers with mean 0 whose variance is scale over the number of connections.

    Arguments:
        scale: the variance of a layer with one connection.
        mode: which are counted: "fan_in", "fan_out", "fan_avg", their mean, or "fan_geo_avg", the geometric one.
        distribution: "normal", "truncated_normal" or "uniform".
        in_axis, out_axis, batch_axis: of the shape: what goes in, what comes out, and what repeats the layer. The other
            axes, as those of a filter, count for both.
        dtype: the default of the result's.

    Returns:
        A function of a key, a shape and a dtype.

    Raises:
        ArgumentError: mode or distribution is not among those; in the function: the shape has too few axes.

    Example:
        >>> init = fg.nn.initializers.variance_scaling(1.0, "fan_in", "normal")
        >>> init(fg.random.key(0), (100, 50)).shape
        (100, 50)
    """
    fans: dict[str, Callable[[float, float], float]] = {
        "fan_in": lambda a, b: a,
        "fan_out": lambda a, b: b,
        "fan_avg": lambda a, b: (a + b) / 2,
        "fan_geo_avg": lambda a, b: math.sqrt(a * b),
    }
    if mode not in fans:
        raise ArgumentError(f"variance_scaling: mode must be one of {', '.join(fans)}, got {mode!r}")
    if distribution not in ("normal", "truncated_normal", "uniform"):
        raise ArgumentError(
            f"variance_scaling: distribution must be normal, truncated_normal or uniform, got {distribution!r}"
        )

    def init(key: ArrayLike, shape: Sequence[int], dtype: Any = dtype) -> Array:
        shape = tuple(shape)
        if len(shape) < 2:
            raise ShapeError(f"variance_scaling: shape must have at least two axes, what goes in and out, got {shape}")
        ins, outs, batch = (_size(shape, axes) for axes in (in_axis, out_axis, batch_axis))
        both = math.prod(shape) / (ins * outs * batch) if ins * outs * batch else 0
        variance = scale / max(fans[mode](both * ins, both * outs), 1e-300)
        if distribution == "uniform":
            return draw_uniform(key, shape, dtype, -1) * asarray(sqrt(3 * variance), dtype)
        if distribution == "normal":
            return draw_normal(key, shape, dtype) * asarray(sqrt(variance), dtype)
        return draw_truncated(key, -2, 2, shape, dtype) * asarray(sqrt(variance) / _CUT, dtype)

    return init


def _size(shape: tuple[int, ...], axes: int | Sequence[int]) -> int:
    return math.prod([shape[a] for a in ((axes,) if isinstance(axes, int) else axes)])


glorot_uniform = xavier_uniform = partial(variance_scaling, 1.0, "fan_avg", "uniform")
glorot_normal = xavier_normal = partial(variance_scaling, 1.0, "fan_avg", "truncated_normal")
lecun_uniform = partial(variance_scaling, 1.0, "fan_in", "uniform")
lecun_normal = partial(variance_scaling, 1.0, "fan_in", "truncated_normal")
he_uniform = kaiming_uniform = partial(variance_scaling, 2.0, "fan_in", "uniform")
he_normal = kaiming_normal = partial(variance_scaling, 2.0, "fan_in", "truncated_normal")


def orthogonal(scale: float = 1.0, column_axis: int = -1, dtype: Any = float) -> Initializer:
    """What gives matrices whose rows, or columns if they are fewer, are orthogonal to each other and of length scale.

    Arguments:
        scale: the length.
        column_axis: the axis whose entries are the columns; the others together are the rows.
        dtype: the default of the result's.

    Returns:
        A function of a key, a shape and a dtype.

    Raises:
        ShapeError: in the function: the shape has too few axes.

    Example:
        >>> q = fg.nn.initializers.orthogonal()(fg.random.key(0), (3, 2))
        >>> bool(fnp.allclose(q.T @ q, fnp.eye(2)))
        True
    """

    def init(key: ArrayLike, shape: Sequence[int], dtype: Any = dtype) -> Inexact[Array, "..."]:
        shape = tuple(shape)
        if len(shape) < 2:
            raise ShapeError(f"orthogonal: shape must have at least two axes, got {shape}")
        rows = shape[column_axis]
        columns = math.prod(shape) // rows if rows else 0
        q, r = qr(draw_normal(key, (max(rows, columns), min(rows, columns)), dtype))
        q = q * broadcast_to(sign(diagonal(r)), q.shape)  # so that every orientation is as likely
        q = q.T if rows < columns else q
        others = [n for a, n in enumerate(shape) if a != column_axis % len(shape)]
        return moveaxis(q.reshape(rows, *others), 0, column_axis) * asarray(scale, dtype)

    return init


publish(__name__, source="jax.nn.initializers")
