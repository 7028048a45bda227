"""What probability distributions have in common: location, scale and shape, and the functions that follow from others.

A `Continuous` family is given by its standard member, of location 0 and scale 1: the logarithm of its density, and
where there is a formula its distribution function and quantiles. A `Discrete` one by the logarithm of probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ArrayLike
from funcgrad.errors import ArgumentError, UnsupportedError, type_text
from funcgrad.numpy import asarray, exp, floor, log, log1p, where


def real(x: ArrayLike, what: str) -> Array:
    """An argument as an Array of floats.

    Raises:
        ArgumentError: it is complex.
    """
    a = asarray(x)
    if a.dtype.kind == "c":
        raise ArgumentError(f"{what} must be real, got {type_text(a)}")
    return a if a.dtype.kind == "f" else a.astype(np.float64)


class Family:
    """The parameters of a family of distributions.

    Arguments:
        name: as in scipy.stats.
        shapes: the names of its shape parameters.
        placed: the names of the parameters after these, and their defaults.
    """

    def __init__(self, name: str, shapes: tuple[str, ...], placed: dict[str, float]) -> None:
        self.name, self.shapes, self.placed = name, shapes, placed

    def parameters(self, args: tuple, kwargs: dict[str, Any]) -> list[Array]:
        """The values of all parameters, given by position or by name.

        Raises:
            ArgumentError: one is missing, unknown, or given twice.
        """
        names = (*self.shapes, *self.placed)
        given = dict(zip(names, args, strict=False))
        unknown = [k for k in kwargs if k not in names or k in given]
        missing = [k for k in self.shapes if k not in given and k not in kwargs]
        if len(args) > len(names) or unknown or missing:
            raise ArgumentError(
                f"{self.name} takes the parameters {', '.join(names)}, of which {', '.join(self.placed)} have "
                f"defaults; got {len(args)} by position and {list(kwargs)} by name"
            )
        values = self.placed | given | kwargs
        return [real(values[k], f"{self.name}: {k}") for k in names]

    def __repr__(self) -> str:
        return f"<distribution {self.name}({', '.join((*self.shapes, *self.placed))})>"


class Continuous(Family):
    """A family of continuous distributions.

    Arguments:
        name, shapes: as for a Family.
        logpdf: the logarithm of the density of the standard member, from z and the shapes, where that is not zero.
        support: whether the density is positive at z, from z and the shapes.
        cdf, sf, logcdf, ppf: the distribution function, one minus that, its logarithm, and the quantiles, of the
            standard member; where one is missing what follows from the others is used.
    """

    def __init__(
        self,
        name: str,
        logpdf: Callable[..., Array],
        support: Callable[..., Any] | None = None,
        shapes: tuple[str, ...] = (),
        cdf: Callable[..., Array] | None = None,
        sf: Callable[..., Array] | None = None,
        logcdf: Callable[..., Array] | None = None,
        ppf: Callable[..., Array] | None = None,
    ) -> None:
        super().__init__(name, shapes, {"loc": 0.0, "scale": 1.0})
        self._logpdf, self._support = logpdf, support
        self._cdf, self._sf, self._logcdf, self._ppf = cdf, sf, logcdf, ppf

    def _standard(self, x: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> tuple[Array, list[Array], Array]:
        *shapes, loc, scale = self.parameters(args, kwargs)
        return (real(x, f"{self.name}: x") - loc) / scale, shapes, scale

    def logpdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the density; minus infinity where that is zero."""
        z, shapes, scale = self._standard(x, args, kwargs)
        if self._support is None:
            return self._logpdf(z, *shapes) - log(scale)
        inside = self._support(z, *shapes)
        safe = where(inside, z, 0.5)  # a point inside all supports, so that nothing there is infinite
        return where(inside, self._logpdf(safe, *shapes) - log(scale), -np.inf)

    def pdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The density."""
        return exp(self.logpdf(x, *args, **kwargs))

    def cdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The distribution function: the probability of values up to x."""
        z, shapes, _ = self._standard(x, args, kwargs)
        return self._formula(self._cdf, "cdf")(z, *shapes)

    def sf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The probability of values beyond x."""
        z, shapes, _ = self._standard(x, args, kwargs)
        return self._sf(z, *shapes) if self._sf else 1 - self._formula(self._cdf, "sf")(z, *shapes)

    def logcdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the distribution function."""
        z, shapes, _ = self._standard(x, args, kwargs)
        return self._logcdf(z, *shapes) if self._logcdf else log(self._formula(self._cdf, "logcdf")(z, *shapes))

    def logsf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the probability of values beyond x."""
        z, shapes, _ = self._standard(x, args, kwargs)
        if self._sf:
            return log(self._sf(z, *shapes))
        return log1p(-self._formula(self._cdf, "logsf")(z, *shapes))

    def ppf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The quantiles: where the distribution function is q."""
        *shapes, loc, scale = self.parameters(args, kwargs)
        return loc + scale * self._formula(self._ppf, "ppf")(real(q, f"{self.name}: q"), *shapes)

    def isf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """Where the probability of values beyond is q."""
        return self.ppf(1 - real(q, f"{self.name}: q"), *args, **kwargs)

    def _formula(self, f: Callable | None, what: str) -> Callable:
        if f is None:
            raise UnsupportedError(f"funcgrad.scipy.stats.{self.name} has no {what}, only logpdf and pdf")
        return f


class Discrete(Family):
    """A family of distributions on integers.

    Arguments:
        name, shapes: as for a Family.
        logpmf: the logarithm of the probability of k, from that and the shapes, where it is not zero.
        support: whether the probability of an integer k is positive.
    """

    def __init__(
        self, name: str, logpmf: Callable[..., Array], support: Callable[..., Any], shapes: tuple[str, ...]
    ) -> None:
        super().__init__(name, shapes, {"loc": 0.0})
        self._logpmf, self._support = logpmf, support

    def logpmf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the probability of k; minus infinity where that is zero."""
        *shapes, loc = self.parameters(args, kwargs)
        k = real(k, f"{self.name}: k") - loc
        inside = self._support(k) & (floor(k) == k)
        return where(inside, self._logpmf(where(inside, k, 0), *shapes), -np.inf)

    def pmf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The probability of k."""
        return exp(self.logpmf(k, *args, **kwargs))
