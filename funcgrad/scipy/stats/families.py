"""What probability distributions have in common: location, scale and shape, and the functions that follow from others.

A `Continuous` family is given by its standard member, of location 0 and scale 1: the logarithm of its density, and
where there is a formula its distribution function and quantiles. A `Discrete` one by the logarithm of probabilities.

A formula is only asked about points inside the support, and about valid parameters. Elsewhere it gets another point or
parameter, whose result is not used: so no 0 · inf turns a derivative of zero into NaN, and nothing warns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import known
from funcgrad.core.types import ArrayLike
from funcgrad.errors import ArgumentError, UnsupportedError, type_text
from funcgrad.numpy import asarray, broadcast_to, exp, floor, isinf, log, log1p, minimum, where
from funcgrad.scipy.stats.quantiles import Quantile, StepQuantile
from funcgrad.transforms.stop_gradient import stop_gradient

Formula = Callable[..., Any]
quiet = np.errstate(all="ignore")
"""Around a function: infinity and NaN are its answers there, as in SciPy."""


def real(x: ArrayLike, what: str) -> Array:
    """An argument as an Array of floats.

    Raises:
        ArgumentError: it is complex.
    """
    a = asarray(x)
    if a.dtype.kind == "c":
        raise ArgumentError(f"{what} must be real, got {type_text(a)}")
    return a if a.dtype.kind == "f" else a.astype(np.float64)


def plain(x: Any) -> Any:
    """The numbers of an array, if they are known, for decisions: NumPy compares them in a fraction of the time."""
    values = known(x)
    return x if values is None else values


def everywhere(mask: Any) -> bool:
    """Whether a mask is known to hold for all elements."""
    values = known(mask)
    return values is not None and bool(values.all())


def nowhere(mask: Any) -> bool:
    """Whether a mask is known to hold for no element."""
    values = known(mask)
    return values is not None and not values.any()


def positive(*shapes: Array) -> Any:
    """Whether parameters are valid that have to be positive."""
    return reduce(and_, [s > 0 for s in shapes], np.True_)


def replaced(x: Array, fine: Any, value: Any) -> Array:
    """x where it is fine, elsewhere a value, with the derivatives of x: so NaN comes back to it from the result."""
    return x + stop_gradient(where(fine, 0.0, value - x))


class Family:
    """The parameters of a family of distributions.

    Arguments:
        name: as in scipy.stats.
        shapes: the names of its shape parameters, each with a valid value.
        valid: whether shape parameters are valid, from their values.
        placed: the names of the parameters after these, and their defaults.
        support: the least and the largest point with a density or probability, numbers or functions of the shapes.
        entropy: from the shapes.
    """

    def __init__(
        self,
        name: str,
        shapes: dict[str, float] | None,
        valid: Formula,
        placed: dict[str, float],
        support: tuple[Any, Any],
        entropy: Formula | None,
    ) -> None:
        self.name, self.shapes, self.placed = name, shapes or {}, placed
        self._valid, self._support, self._entropy = valid, support, entropy

    def parameters(self, args: tuple, kwargs: dict[str, Any]) -> dict[str, ArrayLike]:
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
        return {k: values[k] for k in names}

    def _reals(self, letter: str, x: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> list[Array]:
        """The point and the parameters as Arrays of one float dtype, to which plain numbers say nothing."""
        values = {letter: x} | self.parameters(args, kwargs)
        arrays = {k: real(v, f"{self.name}: {k}") for k, v in values.items() if type(v) not in (int, float)}
        kinds = {a.dtype for a in arrays.values()}
        kind = kinds.pop() if len(kinds) == 1 else np.result_type(*kinds) if kinds else np.dtype(np.float64)
        return [
            wrap(np.array(v, kind)) if k not in arrays else a if (a := arrays[k]).dtype == kind else a.astype(kind)
            for k, v in values.items()
        ]

    def __call__(self, *args: ArrayLike, **kwargs: ArrayLike) -> Frozen:
        """The distribution with these parameters, whose functions take the point only."""
        self.parameters(args, kwargs)
        return Frozen(self, args, kwargs)

    def __repr__(self) -> str:
        return f"<distribution {self.name}({', '.join((*self.shapes, *self.placed))})>"

    def _fine(self, shapes: Sequence[Array]) -> Any:
        return self._valid(*[plain(s) for s in shapes])

    def _replaced(self, shapes: Sequence[Array], fine: Any) -> list[Array]:
        """Valid shapes; in a program that is recorded, known ones stay, as some formulas look at them."""
        if everywhere(fine):
            return list(shapes)
        recorded = known(fine) is None
        return [
            s if recorded and known(s) is not None else replaced(s, fine, v)
            for s, v in zip(shapes, self.shapes.values(), strict=True)
        ]

    def _ends(self, shapes: Sequence[Array]) -> tuple[Any, Any]:
        lower, upper = (end(*shapes) if callable(end) else end for end in self._support)
        return lower, upper

    def _entropy_formula(self) -> Formula:
        if self._entropy is None:
            raise UnsupportedError(
                f"funcgrad.scipy.stats.{self.name} has no entropy, but logarithms of densities and all probabilities"
            )
        return self._entropy


FUNCTIONS = ("pdf", "logpdf", "pmf", "logpmf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "entropy")


class Frozen:
    """A distribution with its parameters.

    Arguments:
        family: which one.
        args, kwargs: the parameters.
    """

    def __init__(self, family: Family, args: tuple, kwargs: dict[str, Any]) -> None:
        self.family, self.args, self.kwargs = family, args, kwargs

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(f"a distribution of funcgrad.scipy.stats has {', '.join(FUNCTIONS)}, but no {name!r}")
        f = getattr(self.family, name)
        return lambda *point: f(*point, *self.args, **self.kwargs)

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        return f"<distribution {self.family.name}({', '.join(given)})>"


class Points:
    """Points of a standard distribution, and where they and its parameters are numbers that formulas take.

    Arguments:
        at: the points.
        shapes: the parameters, valid ones in the place of those that are not.
        ends: of the support.
        fine: where all was valid. Elsewhere results are NaN, and their derivatives.
    """

    def __init__(self, at: Array, shapes: list[Array], ends: tuple[Any, Any], fine: Any) -> None:
        self.at, self.shapes, (self.lower, self.upper), self.fine = at, shapes, ends, fine
        self.plain = plain(at)

    def apply(self, f: Formula, beyond: Any, outside: Any, instead: Any) -> Array:
        """The values of a formula, and those given outside.

        Arguments:
            f: of a point and the shapes.
            beyond: where it is not asked.
            outside: the values there.
            instead: a point at which it may be asked, for all others; or a function that gives it.
        """
        at, fine, asked = self.at, everywhere(self.fine), nowhere(beyond)
        if not (fine and asked):
            instead = instead() if callable(instead) else instead
        if not fine:
            at, beyond = replaced(at, self.fine, instead), beyond & self.fine
        if asked:
            out = f(at, *self.shapes)
        else:
            out = where(beyond, outside, f(where(beyond, instead, at), *self.shapes))
        out = out if out.dtype == at.dtype else out.astype(at.dtype)
        return out if fine else out * where(self.fine, 1.0, np.nan).astype(out.dtype)

    def inner(self) -> Any:
        """A point strictly inside the support."""
        lower = where(isinf(self.lower), minimum(self.upper, 1.0) - 1, self.lower)
        return (lower + where(isinf(self.upper), lower + 1, self.upper)) / 2


class Continuous(Family):
    """A family of continuous distributions.

    Arguments:
        name, shapes, valid, support, entropy: as for a Family.
        logpdf: the logarithm of the density of the standard member, from z and the shapes.
        cdf, sf, logcdf, logsf, ppf, isf: the distribution function, one minus that, their logarithms and inverses, of
            the standard member; where one is missing what follows from the others is used.
        quantiles: the interval that has all quantiles, if it is not the support, from a list of the shapes.
        closed: whether the density is asked for at the ends of the support; it is zero there otherwise.
    """

    def __init__(
        self,
        name: str,
        logpdf: Formula,
        support: tuple[Any, Any] = (-np.inf, np.inf),
        shapes: dict[str, float] | None = None,
        valid: Formula = positive,
        cdf: Formula | None = None,
        sf: Formula | None = None,
        logcdf: Formula | None = None,
        logsf: Formula | None = None,
        ppf: Formula | None = None,
        isf: Formula | None = None,
        entropy: Formula | None = None,
        closed: bool = True,
        quantiles: Formula | None = None,
    ) -> None:
        super().__init__(name, shapes, valid, {"loc": 0.0, "scale": 1.0}, support, entropy)
        self._closed = closed
        self._logpdf = logpdf
        self._cdf, self._sf, self._logcdf, self._logsf = probabilities(cdf, sf, logcdf, logsf)
        search = Quantile(name, self._cdf, self._sf, self._logcdf, self._logsf, logpdf, quantiles or self._ends)
        self._ppf: Formula = ppf or search.lower
        self._isf: Formula = isf or (search.upper if ppf is None else lambda q, *shapes: ppf(1 - q, *shapes))

    def _points(self, x: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> tuple[Points, Array]:
        x, *shapes, loc, scale = self._reals("x", x, args, kwargs)
        fine = self._fine(shapes) & (plain(scale) > 0)
        shapes = self._replaced(shapes, fine)
        if not everywhere(fine):
            scale = replaced(scale, fine, 1.0)
        z = (x - loc) / scale
        return Points(z, shapes, self._ends(shapes), fine & ~np.isnan(plain(z))), scale

    @quiet
    def logpdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the density; minus infinity where that is zero."""
        p, scale = self._points(x, args, kwargs)
        return p.apply(lambda z, *shapes: self._logpdf(z, *shapes) - log(scale), self._beyond(p), -np.inf, p.inner)

    @quiet
    def pdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The density."""
        return exp(self.logpdf(x, *args, **kwargs))

    def _beyond(self, p: Points) -> Any:
        if self._support == (-np.inf, np.inf):
            return np.False_
        if self._closed:
            return (p.plain < p.lower) | (p.plain > p.upper)
        return (p.plain <= p.lower) | (p.plain >= p.upper)

    @quiet
    def _probability(self, f: Formula, ends: tuple, x: ArrayLike, args: tuple, kwargs: dict) -> Array:
        """A function of the probabilities on both sides of a point, and its values at the ends of the support."""
        p, _ = self._points(x, args, kwargs)
        below = p.plain <= p.lower
        beyond = below | (p.plain >= p.upper)
        return p.apply(f, beyond, 0.0 if nowhere(beyond) else where(below, *ends), p.inner)

    def cdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The distribution function: the probability of values up to x."""
        return self._probability(self._cdf, (0.0, 1.0), x, args, kwargs)

    def sf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The probability of values beyond x."""
        return self._probability(self._sf, (1.0, 0.0), x, args, kwargs)

    def logcdf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the distribution function."""
        return self._probability(self._logcdf, (-np.inf, 0.0), x, args, kwargs)

    def logsf(self, x: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the probability of values beyond x."""
        return self._probability(self._logsf, (0.0, -np.inf), x, args, kwargs)

    @quiet
    def _inverse(self, f: Formula, reverse: bool, q: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> Array:
        q, *shapes, loc, scale = self._reals("q", q, args, kwargs)
        numbers = plain(q)
        fine = self._fine(shapes) & (plain(scale) > 0) & (numbers >= 0) & (numbers <= 1)
        shapes = self._replaced(shapes, fine)
        lower, upper = self._ends(shapes)
        p = Points(q, shapes, (0.0, 1.0), fine)
        at_ends = where(numbers <= 0, upper if reverse else lower, lower if reverse else upper)
        return p.apply(f, (numbers <= 0) | (numbers >= 1), at_ends, 0.5) * scale + loc

    def ppf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The quantiles: where the distribution function is q."""
        return self._inverse(self._ppf, False, q, args, kwargs)

    def isf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """Where the probability of values beyond is q."""
        return self._inverse(self._isf, True, q, args, kwargs)

    @quiet
    def entropy(self, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The differential entropy."""
        f = self._entropy_formula()
        p, scale = self._points(0.0, args, kwargs)
        return broadcast_to(p.apply(lambda z, *shapes: f(*shapes) + log(scale), np.False_, 0.0, 0.0), p.at.shape)


def probabilities(
    cdf: Formula | None, sf: Formula | None, logcdf: Formula | None, logsf: Formula | None
) -> tuple[Formula, Formula, Formula, Formula]:
    """All four from those that have a formula: one of those on either side, at the least."""
    below = cdf or (_exp_of(logcdf) if logcdf else None)
    above = sf or (_exp_of(logsf) if logsf else None)
    if below is None and above is None:
        raise TypeError("a family has to have a distribution function")
    below, above = below or _rest_of(above), above or _rest_of(below)
    return below, above, logcdf or _log_of(below, above), logsf or _log_of(above, below)


def _exp_of(f: Formula) -> Formula:
    return lambda *args: exp(f(*args))


def _rest_of(f: Any) -> Formula:
    return lambda *args: 1 - f(*args)


def _log_of(f: Formula, other: Formula) -> Formula:
    """The logarithm of a probability, by what is missing to one where that is less."""

    def logarithm(*args: Any) -> Array:
        value, rest = f(*args), other(*args)
        small = value < 0.5
        return where(small, log(where(small, value, 0.5)), log1p(-where(small, 0.5, rest)))

    return logarithm


class Discrete(Family):
    """A family of distributions on integers.

    Arguments:
        name, shapes, valid, support, entropy: as for a Family.
        logpmf: the logarithm of the probability of k, from that and the shapes.
        cdf, sf, logcdf, logsf, ppf, isf: as for a Continuous one, of integers k.
    """

    def __init__(
        self,
        name: str,
        logpmf: Formula,
        support: tuple[Any, Any],
        shapes: dict[str, float],
        valid: Formula = positive,
        cdf: Formula | None = None,
        sf: Formula | None = None,
        logcdf: Formula | None = None,
        logsf: Formula | None = None,
        ppf: Formula | None = None,
        isf: Formula | None = None,
        entropy: Formula | None = None,
    ) -> None:
        super().__init__(name, shapes, valid, {"loc": 0.0}, support, entropy)
        self._logpmf = logpmf
        self._cdf, self._sf, self._logcdf, self._logsf = probabilities(cdf, sf, logcdf, logsf)
        self._ppf = ppf or StepQuantile(name, lambda k, q, *shapes: self._cdf(k, *shapes) >= q, self._ends)
        self._isf = isf or StepQuantile(name, lambda k, q, *shapes: self._sf(k, *shapes) <= q, self._ends)

    def _points(self, k: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> Points:
        k, *shapes, loc = self._reals("k", k, args, kwargs)
        fine = self._fine(shapes)
        shapes = self._replaced(shapes, fine)
        at = k - loc
        return Points(at, shapes, self._ends(shapes), fine & ~np.isnan(plain(at)))

    @quiet
    def logpmf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the probability of k; minus infinity where that is zero."""
        p = self._points(k, args, kwargs)
        beyond = (p.plain < p.lower) | (p.plain > p.upper) | (p.plain > np.floor(p.plain))
        return p.apply(self._logpmf, beyond, -np.inf, p.lower)

    def pmf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The probability of k."""
        return exp(self.logpmf(k, *args, **kwargs))

    @quiet
    def _probability(self, f: Formula, ends: tuple, k: ArrayLike, args: tuple, kwargs: dict) -> Array:
        """A function of the probabilities up to an integer and beyond, and its values outside the support."""
        p = self._points(k, args, kwargs)
        p.at = floor(p.at)
        below = np.floor(p.plain) < p.lower
        return p.apply(f, below | (p.plain >= p.upper), where(below, *ends), p.lower)

    def cdf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The distribution function: the probability of values up to k. It is a step function of k."""
        return self._probability(self._cdf, (0.0, 1.0), k, args, kwargs)

    def sf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The probability of values beyond k."""
        return self._probability(self._sf, (1.0, 0.0), k, args, kwargs)

    def logcdf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the distribution function."""
        return self._probability(self._logcdf, (-np.inf, 0.0), k, args, kwargs)

    def logsf(self, k: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The logarithm of the probability of values beyond k."""
        return self._probability(self._logsf, (0.0, -np.inf), k, args, kwargs)

    @quiet
    def _inverse(self, f: Formula, reverse: bool, q: ArrayLike, args: tuple, kwargs: dict[str, Any]) -> Array:
        q, *shapes, loc = self._reals("q", q, args, kwargs)
        numbers = plain(q)
        fine = self._fine(shapes) & (numbers >= 0) & (numbers <= 1)
        shapes = self._replaced(shapes, fine)
        lower, upper = self._ends(shapes)
        p = Points(q, shapes, (0.0, 1.0), fine)
        lowest = lower - 1  # below all that has a probability
        at_ends = where(numbers <= 0, upper if reverse else lowest, lowest if reverse else upper)
        return p.apply(f, (numbers <= 0) | (numbers >= 1), at_ends, 0.5) + loc

    def ppf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The quantiles: the least integer up to which the probability is at least q, a step function of q."""
        return self._inverse(self._ppf, False, q, args, kwargs)

    def isf(self, q: ArrayLike, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The least integer beyond which the probability is at most q."""
        return self._inverse(self._isf, True, q, args, kwargs)

    @quiet
    def entropy(self, *args: ArrayLike, **kwargs: ArrayLike) -> Array:
        """The entropy."""
        f = self._entropy_formula()
        p = self._points(0.0, args, kwargs)
        return broadcast_to(p.apply(lambda k, *shapes: f(*shapes), np.False_, 0.0, 0.0), p.at.shape)
