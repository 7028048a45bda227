"""Distances between points, under SciPy's names: `cdist`, `pdist`, `squareform`.

Where two points are equal the distance has no derivative; there it is taken to be zero, as for the absolute value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.faces import publish
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError, ShapeError, UnsupportedError, type_text
from funcgrad.numpy import absolute, einsum, max, sqrt, sum, var, vstack, where, zeros
from funcgrad.numpy.convert import asarray, reject
from funcgrad.numpy.linalg import inv

__all__ = ["cdist", "pdist", "squareform"]


def _root(s: Any) -> Any:
    """The square root, whose derivative at zero is zero."""
    return where(s > 0, sqrt(where(s > 0, s, 1.0)), 0.0)


def _size(d: Any) -> Any:
    """The absolute value, whose derivative at zero is zero."""
    return where(d == 0, 0.0, absolute(d))


def _over(a: Any, b: Any) -> Any:
    return where(b == 0, 0.0, a / where(b == 0, 1.0, b))


def _cosine(x: Any, y: Any) -> Any:
    return 1 - sum(x * y, axis=-1) / sqrt(sum(x * x, axis=-1) * sum(y * y, axis=-1))


def _centred(x: Any) -> Any:
    return x - x.mean(axis=-1, keepdims=True)


def _minkowski(x: Any, y: Any, p: ArrayLike = 2, w: ArrayLike | None = None) -> Any:
    d = absolute(x - y)
    total = sum(where(d > 0, where(d > 0, d, 1.0) ** p, 0.0) * (1.0 if w is None else w), axis=-1)
    return where(total > 0, where(total > 0, total, 1.0) ** (1.0 / asarray(p)), 0.0)


_METRICS: dict[str, Callable] = {
    "euclidean": lambda x, y, w=None: _root(sum((x - y) ** 2 * (1.0 if w is None else w), axis=-1)),
    "sqeuclidean": lambda x, y, w=None: sum((x - y) ** 2 * (1.0 if w is None else w), axis=-1),
    "cityblock": lambda x, y, w=None: sum(_size(x - y) * (1.0 if w is None else w), axis=-1),
    "chebyshev": lambda x, y: max(_size(x - y), axis=-1),
    "minkowski": _minkowski,
    "cosine": _cosine,
    "correlation": lambda x, y: _cosine(_centred(x), _centred(y)),
    "canberra": lambda x, y: sum(_over(_size(x - y), _size(x) + _size(y)), axis=-1),
    "braycurtis": lambda x, y: _over(sum(_size(x - y), axis=-1), sum(_size(x + y), axis=-1)),
    "seuclidean": lambda x, y, V: _root(sum((x - y) ** 2 / V, axis=-1)),
    "mahalanobis": lambda x, y, VI: _root(einsum("...i,ij,...j->...", x - y, VI, x - y)),
}
_SHORT = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock", "sqe": "sqeuclidean", "linf": "chebyshev"}
_WITHOUT = [
    "hamming",
    "jaccard",
    "matching",
    "dice",
    "rogerstanimoto",
    "russellrao",
    "sokalsneath",
    "yule",
    "kulczynski1",
]


def _distance(name: str, metric: Any, options: dict, points: Callable[[], Array]) -> Callable[[Any, Any], Any]:
    """The distance of points along the last axis. `points` gives all of them, for metrics that need a variance."""
    if callable(metric):
        raise UnsupportedError(f"{name} takes the metrics by their names; write fg.vmap over a function of two points")
    metric = _SHORT.get(metric, metric)
    if metric in _WITHOUT:
        raise UnsupportedError(f"{name}: the metric {metric!r} counts entries that differ, and has no derivative")
    if metric not in _METRICS:
        raise ValueError(f"{name}: the metric {metric!r} is unknown; there are {', '.join(_METRICS)}")
    options = {k: asarray(v) for k, v in options.items() if v is not None}
    if metric == "seuclidean" and "V" not in options:
        options["V"] = var(points(), axis=0, ddof=1)
    if metric == "mahalanobis" and "VI" not in options:
        x = points()
        centred = x - x.mean(axis=0)
        options["VI"] = inv(centred.T @ centred / (x.shape[0] - 1)).T
    return lambda x, y: _METRICS[metric](x, y, **options)


def _points(name: str, x: ArrayLike) -> Array:
    x = asarray(x)
    if x.dtype.kind == "c":
        raise ArgumentError(f"{name} takes points of real numbers, got {type_text(x)}")
    if x.ndim != 2:
        raise ShapeError(f"{name} takes a matrix with a point in each row, got shape {x.shape}")
    return x if x.dtype == np.float64 else x.astype(float)


def cdist(
    XA: ArrayLike, XB: ArrayLike, metric: str = "euclidean", *, out: Any = None, **kwargs: Any
) -> Float[Array, "n m"]:
    """The distances of all points of one set from all of another.

    Arguments:
        XA, XB: matrices with a point in each row.
        metric: "euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation", "canberra",
            "braycurtis", "seuclidean" or "mahalanobis".
        out: not supported: arrays are immutable.
        kwargs: of "minkowski" p and w, of "seuclidean" the variances V, of "mahalanobis" the inverse covariance VI, of
            the first three w. They may be differentiated.

    Returns:
        A matrix. Where points are equal its derivative is taken to be zero.

    Raises:
        ShapeError, ArgumentError: these are no matrices of real numbers with equally many columns.
        UnsupportedError: a metric without derivatives, or a function.
        ValueError: an unknown metric.

    Example:
        >>> from funcgrad.scipy.spatial.distance import cdist
        >>> cdist(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]]))
        Array([[5.]], dtype=float64)
        >>> fg.grad(lambda x: cdist(x, np.array([[3.0, 4.0]]))[0, 0])(np.array([[0.0, 0.0]]))
        Array([[-0.6, -0.8]], dtype=float64)
    """
    reject("cdist", out=out)
    a, b = _points("cdist", XA), _points("cdist", XB)
    if a.shape[1] != b.shape[1]:
        raise ShapeError(f"cdist: the points have different dimensions, shapes {a.shape} and {b.shape}")
    return _distance("cdist", metric, kwargs, lambda: vstack([a, b]))(a[:, None], b[None])


def pdist(X: ArrayLike, metric: str = "euclidean", *, out: Any = None, **kwargs: Any) -> Float[Array, " n"]:
    """The distances of all pairs of points of a set, as a vector; `squareform` makes a matrix of it.

    Arguments:
        X: a matrix with a point in each row.
        metric, out, kwargs: as for `cdist`.

    Raises:
        ShapeError, ArgumentError, UnsupportedError, ValueError: as there.

    Example:
        >>> from funcgrad.scipy.spatial.distance import pdist
        >>> pdist(np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]))
        Array([5., 3., 4.], dtype=float64)
    """
    reject("pdist", out=out)
    x = _points("pdist", X)
    i, j = np.triu_indices(x.shape[0], 1)
    return _distance("pdist", metric, kwargs, lambda: x)(x[i], x[j])


def squareform(X: ArrayLike, force: str = "no", checks: bool = True) -> Float[Array, "..."]:
    """The symmetric matrix of a vector of distances of pairs, or the vector of such a matrix.

    Arguments:
        X: one or the other.
        force: "tomatrix" or "tovector" to ask for one.
        checks: accepted as in SciPy. What lies below the diagonal of a matrix is not looked at.

    Raises:
        ValueError: X is neither.

    Example:
        >>> from funcgrad.scipy.spatial.distance import squareform
        >>> squareform(np.array([5.0]))
        Array([[0., 5.],
               [5., 0.]], dtype=float64)
    """
    x = asarray(X)
    if x.ndim == 1 and force != "tovector":
        n = int(np.ceil(np.sqrt(2 * x.size)))
        n = n if x.size else 1
        if n * (n - 1) != 2 * x.size:
            raise ValueError(f"squareform: a vector of {x.size} elements holds no distances of pairs")
        i, j = np.triu_indices(n, 1)
        return zeros((n, n), x.dtype).at[i, j].set(x).at[j, i].set(x)
    if x.ndim == 2 and x.shape[0] == x.shape[1] and force != "tomatrix":
        i, j = np.triu_indices(x.shape[0], 1)
        return x[i, j]
    raise ValueError(f"squareform takes a vector of distances or a square matrix, got shape {x.shape}")


publish(__name__, source="scipy.spatial.distance")
