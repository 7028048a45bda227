"""Quantiles of distributions that have no formula for them: the distribution function is inverted by a search.

The search runs on plain numbers, in double precision. What it finds moves as the implicit function theorem says: from
F(x, θ) = q follows dx = (dq - ∂F/∂θ dθ) / p(x), with the density p. That rule is written with the quantile itself, so
it can be differentiated in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import ConvergenceError
from funcgrad.numpy import exp
from funcgrad.transforms.callback import pure_callback
from funcgrad.transforms.custom_jvp import custom_jvp
from funcgrad.transforms.jvp import jvp
from funcgrad.transforms.stop_gradient import stop_gradient

__all__ = ["Quantile", "StepQuantile"]


def on_host(search: Callable, q: Array, shapes: tuple[Array, ...]) -> Array:
    """The results of a search on flat ndarrays in double precision, with the shape and dtype of the operands."""
    kind = np.result_type(q, *shapes)
    shape = np.broadcast_shapes(q.shape, *[s.shape for s in shapes])

    def host(*operands: Any) -> Any:
        flat = np.broadcast_arrays(*operands)
        with np.errstate(all="ignore"):
            found = search(*[a.astype(np.float64).ravel() for a in flat])
        return found.reshape(flat[0].shape).astype(kind)

    return pure_callback(host, ShapeDtypeStruct(shape, kind), q, *shapes, vmap_method="broadcast_all")


class Quantile:
    """The inverse of a distribution function, as `lower`, and that of one minus it, as `upper`.

    Arguments:
        name: of the distribution, for messages.
        cdf, sf, logcdf, logsf, logpdf: of the standard member, from the point and the shapes.
        ends: of the interval to search, from a list of the shapes.
    """

    def __init__(self, name: str, cdf: Any, sf: Any, logcdf: Any, logsf: Any, logpdf: Any, ends: Callable) -> None:
        self.name, self.logpdf, self.ends = name, logpdf, ends
        self.lower, self.upper = self._moving(cdf, 1, logcdf, logsf), self._moving(sf, -1, logsf, logcdf)

    def _moving(self, probability: Any, sign: int, log: Any, log_rest: Any) -> Callable:
        """The inverse of a function that rises (sign 1) or falls (-1); with the logarithms of it and of the rest."""

        def quantile(q: Array, *shapes: Array) -> Array:
            return on_host(search, q, shapes)

        def search(q: np.ndarray, *shapes: np.ndarray) -> np.ndarray:
            """Each probability is looked for on the side that has no more than a half, where it is known precisely."""
            out = np.full_like(q, np.nan)
            for side, f, rises, p in ((q <= 0.5, log, sign, q), (q > 0.5, log_rest, -sign, 1 - q)):
                if side.any():
                    out[side] = self._search(f, rises, p[side], [s[side] for s in shapes])
            return out

        moving = custom_jvp(quantile)

        @moving.defjvp
        def rule(primals: tuple, tangents: tuple) -> tuple[Array, Array]:
            (_, *shapes), (dq, *dshapes) = primals, tangents
            x = moving(*primals)
            if shapes:
                dq = dq - jvp(lambda *s: probability(x, *s), tuple(shapes), tuple(dshapes))[1]
            return x, dq * (sign / exp(self.logpdf(x, *shapes)))

        return moving

    def _search(self, log: Any, rises: int, q: np.ndarray, shapes: list[np.ndarray]) -> np.ndarray:
        """Where the logarithm of a probability is log(q): Newton's method, between bounds, on a scale of `_spread`."""
        lower, upper = (np.broadcast_to(np.asarray(end, np.float64), q.shape) for end in self.ends(shapes))
        a, b, u = np.full_like(q, -745.0), np.full_like(q, 745.0), np.zeros_like(q)
        target, left = np.log(q), np.arange(q.size)
        for step in range(_LIMIT):
            at, parameters = u[left], [s[left] for s in shapes]
            x, slope = _spread(at, lower[left], upper[left])
            value = np.asarray(log(x, *parameters))
            value = np.where(np.isnan(value), -np.inf, value)  # so far out that a formula overflowed
            rest = value - target[left]
            low = (rest < 0) == (rises > 0)
            a[left], b[left] = np.where(low, at, a[left]), np.where(low, b[left], at)
            move = -rises * rest * np.exp(value - np.asarray(self.logpdf(x, *parameters)))
            new = at + move / slope
            lost = ~((a[left] < new) & (new < b[left])) | (step > _LIMIT // 2 and step % 2 == 1)
            far = 1 + np.abs(at)  # no further at once: there may be nothing but zeros
            new = np.clip(np.where(lost, (a[left] + b[left]) / 2, new), at - far, at + far)
            u[left] = np.where(rest == 0, at, new)
            left = left[(np.abs(u[left] - at) > _PRECISION * np.maximum(np.abs(at), 1)) & (rest != 0)]
            if not left.size:
                x, _ = _spread(u, lower, upper)
                return self._polished(x, log, rises, target, shapes)
        raise ConvergenceError(f"{self.name}: a quantile was not found in {_LIMIT} steps")

    def _polished(self, x: Any, log: Any, rises: int, target: Any, shapes: list[np.ndarray]) -> np.ndarray:
        """One more step, for the point itself: numbers on the scale of the search are coarser where it is huge."""
        value = np.asarray(log(x, *shapes))
        move = -rises * (value - target) * np.exp(value - np.asarray(self.logpdf(x, *shapes)))
        return np.where(np.isfinite(move), x + move, x)


_LIMIT = 200
_PRECISION = 1e-9  # of the search; one more step of Newton's squares it


def _spread(u: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A point of the interval for each number, and its derivative: both ends are as far away as they can be."""
    below, above = np.isfinite(lower), np.isfinite(upper)
    grown = np.exp(np.where(above & ~below, -u, u))
    part, width = 1 / (1 + np.exp(-u)), np.where(below & above, upper - lower, 1.0)
    one_sided = np.where(below, lower + np.where(above, width * part, grown), upper - grown)
    x = np.where(below | above, one_sided, np.sinh(u))
    return x, np.where(below & above, width * part / (1 + np.exp(u)), np.where(below | above, grown, np.cosh(u)))


class StepQuantile:
    """The least integer at which a condition on the distribution function holds.

    It is a step function, so it has the derivative zero wherever it has one, as floor does.

    Arguments:
        name: of the distribution, for messages.
        reached: whether the condition holds, from an integer, the probability and the shapes: from there on.
        ends: of the support, from a list of the shapes.
    """

    def __init__(self, name: str, reached: Callable, ends: Callable) -> None:
        self.name, self.reached, self.ends = name, reached, ends

    def __call__(self, q: Array, *shapes: Array) -> Array:
        return on_host(self._search, stop_gradient(q), stop_gradient(shapes))

    def _search(self, q: np.ndarray, *shapes: np.ndarray) -> np.ndarray:
        least, greatest = (np.asarray(end, np.float64) for end in self.ends(shapes))
        below, step = least - 1 + 0 * q, np.ones_like(q)
        above = np.minimum(below + step, greatest)
        while True:  # double the distance until the condition holds
            short = ~np.asarray(self.reached(above, q, *shapes)) & (above < greatest) & (step < 2.0**60)
            if not short.any():
                break
            below = np.where(short, above, below)
            step = np.where(short, 2 * step, step)
            above = np.where(short, np.minimum(below + step, greatest), above)
        while True:
            middle = np.floor((below + above) / 2)
            open_ = (middle > below) & (middle < above)
            if not open_.any():
                return np.where(np.isnan(sum(shapes, q)), np.nan, above)
            there = np.asarray(self.reached(middle, q, *shapes))
            below = np.where(open_ & ~there, middle, below)
            above = np.where(open_ & there, middle, above)
