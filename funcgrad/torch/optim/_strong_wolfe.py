"""A line search whose steps fulfil the strong Wolfe conditions, by cubic interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Point(NamedTuple):
    """Where the search has been: the step, the value there, the gradient, and its part along the direction."""

    t: Any
    f: Any
    g: Any
    slope: Any


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points, with their slopes, is least; halfway if it has no minimum.

    Arguments:
        a, b: the points.
        bounds: between which the result is; by default the points are.
    """
    low, high = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    d1 = a.slope + b.slope - 3 * (a.f - b.f) / (a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    first, last = (a, b) if a.t <= b.t else (b, a)
    found = last.t - (last.t - first.t) * ((last.slope + d2 - d1) / (last.slope - first.slope + 2 * d2))
    return min(max(found, low), high)


def strong_wolfe(
    evaluate: Callable[[Any], tuple[Any, Any]],
    t: Any,
    d: Any,
    start: Point,
    tolerance_change: float = 1e-9,
    most: int = 25,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> tuple[Any, Any, Any, int]:
    """Search along d for a step at which the value has fallen enough and the slope is small enough.

    Arguments:
        evaluate: the value and the gradient at a step.
        t: the step that is tried first.
        d: the direction.
        start: the point at step 0.
        tolerance_change: a bracket this small is the end.
        most: the number of steps that may be tried.
        c1, c2: of the two conditions.

    Returns:
        The value, the gradient and the step that were found, and how often `evaluate` was called.
    """
    start = start._replace(g=start.g.clone())

    def visit(t: Any) -> Point:
        f, g = evaluate(t)
        return Point(t, f, g, g.dot(d))

    def too_high(p: Point) -> bool:
        return p.f > start.f + c1 * p.t * start.slope

    def flat(p: Point) -> bool:
        return abs(p.slope) <= -c2 * start.slope

    # until the minimum is bracketed
    here, before = visit(t), start
    calls, n, done = 1, 0, False
    bracket: list[Point] = []
    while n < most:
        if too_high(here) or (n > 1 and here.f >= before.f):
            bracket = [before, here]
            break
        if flat(here):
            bracket, done = [here], True
            break
        if here.slope >= 0:
            bracket = [before, here]
            break
        bounds = (here.t + 0.01 * (here.t - before.t), here.t * 10)
        before, here = here, visit(cubic_minimum(before, here, bounds))
        calls, n = calls + 1, n + 1
    else:
        bracket = [start, here]

    # until a point in the bracket will do
    stuck = False
    low, high = (0, 1) if bracket[0].f <= bracket[-1].f else (1, 0)
    width = d.abs().max()
    while not done and n < most:
        left, right = min(p.t for p in bracket), max(p.t for p in bracket)
        if abs(bracket[1].t - bracket[0].t) * width < tolerance_change:
            break
        t = cubic_minimum(bracket[0], bracket[1])
        margin = 0.1 * (right - left)
        if min(right - t, t - left) < margin:  # too near to an end, for the second time or beyond it
            if stuck or t >= right or t <= left:
                t = right - margin if abs(t - right) < abs(t - left) else left + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = visit(t)
        calls, n = calls + 1, n + 1
        if too_high(here) or here.f >= bracket[low].f:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
        else:
            if flat(here):
                done = True
            elif here.slope * (bracket[high].t - bracket[low].t) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = here
    best = bracket[low]
    return best.f, best.g, best.t, calls
