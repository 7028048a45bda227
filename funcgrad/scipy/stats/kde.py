"""Densities estimated from samples: a normal distribution around each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.tree import register_pytree_node_class
from funcgrad.core.types import ArrayLike, Float
from funcgrad.errors import ArgumentError, ShapeError, UnsupportedError
from funcgrad.numpy import (
    atleast_1d,
    atleast_2d,
    cov,
    diagonal,
    exp,
    log,
    logsumexp,
    moveaxis,
    ones,
    sqrt,
    squeeze,
    zeros,
)
from funcgrad.numpy.linalg import cholesky, inv
from funcgrad.random import choice, multivariate_normal, split
from funcgrad.scipy.linalg import solve_triangular
from funcgrad.scipy.special import ndtr
from funcgrad.scipy.stats.families import real

__all__ = ["gaussian_kde"]


@register_pytree_node_class
class gaussian_kde:  # noqa: N801  (SciPy's name)
    """An estimate of a density, differentiable in the samples, their weights and the bandwidth. It is a pytree.

    Arguments:
        dataset: the samples: a vector of numbers, or a matrix with a column for each.
        bw_method: the factor of the bandwidth: "scott" (the same as None), "silverman", a number, or a function of the
            estimate, with `neff`, `d` and `n`, that gives a number.
        weights: of the samples, by default all the same. They are divided by their sum.

    Raises:
        ShapeError: there is one number or none; or weights do not fit.
        ArgumentError: bw_method is something else, or an operand is complex.

    Example:
        >>> from funcgrad.scipy.stats import gaussian_kde
        >>> gaussian_kde([0.0, 1.0, 3.0]).logpdf(1.0)
        Array([-1.53760404], dtype=float64)

    Source: scipy.stats.gaussian_kde.
    """

    neff: Any
    dataset: Any
    weights: Any
    covariance: Any
    inv_cov: Any

    def __init__(
        self, dataset: ArrayLike, bw_method: str | ArrayLike | Callable | None = None, weights: ArrayLike | None = None
    ) -> None:
        dataset = atleast_2d(real(dataset, "gaussian_kde: dataset"))
        n = dataset.shape[1]
        if dataset.size < 2:
            raise ShapeError(f"gaussian_kde: dataset must have more than one element, got shape {dataset.shape}")
        given = ones(n, dataset.dtype) if weights is None else atleast_1d(real(weights, "gaussian_kde: weights"))
        if given.shape != (n,):
            raise ShapeError(f"gaussian_kde: weights must be a vector of {n}, got shape {given.shape}")
        self.dataset, self.weights = dataset, given / given.sum()
        self.neff = 1 / (self.weights**2).sum()
        factor = self._factor("scott" if bw_method is None else bw_method)
        covariance = atleast_2d(cov(dataset, rowvar=True, bias=False, aweights=self.weights))
        self.covariance, self.inv_cov = covariance * factor**2, inv(covariance) / factor**2

    def _factor(self, bw_method: Any) -> Any:
        if isinstance(bw_method, str) and bw_method in ("scott", "silverman"):
            return (self.neff * (1 if bw_method == "scott" else (self.d + 2) / 4)) ** (-1 / (self.d + 4))
        if callable(bw_method):
            return bw_method(self)
        if isinstance(bw_method, str) or np.ndim(bw_method):
            raise ArgumentError(
                f"gaussian_kde: bw_method must be 'scott', 'silverman', a number or a function, got {bw_method!r}"
            )
        return bw_method

    def tree_flatten(self) -> tuple[tuple, None]:
        return (self.neff, self.dataset, self.weights, self.covariance, self.inv_cov), None

    @classmethod
    def tree_unflatten(cls, aux: None, children: Any) -> gaussian_kde:
        kde = cls.__new__(cls)
        kde.neff, kde.dataset, kde.weights, kde.covariance, kde.inv_cov = children
        return kde

    @property
    def d(self) -> int:
        """The number of dimensions."""
        return self.dataset.shape[0]

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.dataset.shape[1]

    def evaluate(self, points: ArrayLike) -> Float[Array, "..."]:
        """The density at points, given as the samples are."""
        return exp(self._kernels(points)) @ self.weights

    __call__ = pdf = evaluate

    def logpdf(self, x: ArrayLike) -> Float[Array, "..."]:
        """The logarithm of the density at points, accurate where that is too small for a number."""
        return logsumexp(self._kernels(x), axis=1, b=self.weights)

    def _kernels(self, points: ArrayLike) -> Array:
        """The logarithms of the densities around all samples at all points."""
        points = self._points(points)
        white = cholesky(self.inv_cov)
        away = (points.T @ white)[:, None, :] - (self.dataset.T @ white)[None]
        volume = log(diagonal(white)).sum() - self.d / 2 * math.log(2 * math.pi)
        return volume - (away * away).sum(axis=-1) / 2

    def _points(self, points: ArrayLike) -> Array:
        points = atleast_2d(real(points, "gaussian_kde: points"))
        if points.shape[0] != self.d and points.shape == (1, self.d):
            points = points.T
        if points.shape[0] != self.d:
            raise ShapeError(
                f"gaussian_kde: points must have {self.d} rows, one for each dimension, got shape {points.shape}"
            )
        return points

    def integrate_gaussian(self, mean: ArrayLike, cov: ArrayLike) -> Float[Array, "..."]:
        """The integral of the density times a normal density of this mean and covariance matrix."""
        mean, cov = atleast_1d(squeeze(real(mean, "mean"))), atleast_2d(real(cov, "cov"))
        if mean.shape != (self.d,) or cov.shape != (self.d, self.d):
            raise ShapeError(
                f"integrate_gaussian: mean and cov must have the shapes {(self.d,)} and {(self.d, self.d)}, got "
                f"{mean.shape} and {cov.shape}"
            )
        return self._overlap(mean[:, None], cov)[0]

    def integrate_kde(self, other: gaussian_kde) -> Float[Array, "..."]:
        """The integral of the product with another density."""
        if other.d != self.d:
            raise ShapeError(f"integrate_kde: the other density has {other.d} dimensions, this one {self.d}")
        return self._overlap(other.dataset, other.covariance) @ other.weights

    def _overlap(self, means: Array, cov: Array) -> Array:
        """The integrals with the normal densities around means."""
        factor = cholesky(self.covariance + cov)
        away = self.dataset[:, :, None] - means[:, None, :]
        white = solve_triangular(factor, away.reshape(self.d, -1), lower=True).reshape(away.shape)
        volume = log(diagonal(factor)).sum() + self.d / 2 * math.log(2 * math.pi)
        return self.weights @ exp(-(white * white).sum(axis=0) / 2 - volume)

    def integrate_box_1d(self, low: ArrayLike, high: ArrayLike) -> Float[Array, "..."]:
        """The probability of an interval, in one dimension."""
        if self.d != 1 or np.ndim(low) or np.ndim(high):
            raise ShapeError(
                f"integrate_box_1d: it takes two numbers, in one dimension; got shapes {np.shape(low)} and "
                f"{np.shape(high)}, in {self.d}"
            )
        sigma = sqrt(self.covariance[0, 0])
        low, high = ((real(end, "integrate_box_1d") - self.dataset[0]) / sigma for end in (low, high))
        return (self.weights * (ndtr(high) - ndtr(low))).sum()

    def marginal(self, dimensions: ArrayLike) -> gaussian_kde:
        """The density of some of the dimensions, given by their numbers."""
        kept = np.atleast_1d(np.asarray(dimensions))
        if kept.dtype.kind not in "iu" or len(np.unique(kept % self.d)) != kept.size or (abs(kept) > self.d).any():
            raise ArgumentError(
                f"marginal: dimensions must be different integers from 0 to {self.d - 1}, got {dimensions!r}"
            )
        covariance = self.covariance[kept[:, None], kept]
        return self.tree_unflatten(None, (self.neff, self.dataset[kept], self.weights, covariance, inv(covariance)))

    def resample(self, key: Any, shape: tuple[int, ...] = ()) -> Float[Array, "..."]:
        """Random points, of shape (d, *shape). They move with the samples and the bandwidth, not with the weights."""
        first, second = split(key)
        drawn = choice(first, self.n, shape=shape, p=self.weights)
        noise = multivariate_normal(
            second, zeros(self.d, self.covariance.dtype), self.covariance, shape=shape, dtype=self.dataset.dtype
        )
        return self.dataset[:, drawn] + moveaxis(noise, -1, 0)

    def integrate_box(self, low_bounds: ArrayLike, high_bounds: ArrayLike, maxpts: Any = None) -> NoReturn:
        """Refused: SciPy integrates by random points. `integrate_box_1d` has one dimension."""
        raise UnsupportedError("gaussian_kde.integrate_box is not here: integrate_box_1d does one dimension")

    def set_bandwidth(self, bw_method: Any = None) -> NoReturn:
        """Refused: an estimate does not change. Make another one."""
        raise UnsupportedError("gaussian_kde.set_bandwidth would change it: make another one with bw_method=")
