"""The explicit Runge-Kutta method of Dormand and Prince: order 5, an error estimate of order 4, adaptive steps.

Everything here works on one flat ndarray, whatever the state is. Each step takes six evaluations, for its last stage is
the first of the next. Between the ends of a step the solution is a polynomial of degree 4, made of the same stages.

Source: J. R. Dormand and P. J. Prince, "A family of embedded Runge-Kutta formulae" (1980); the polynomial is that of
L. F. Shampine, "Some practical Runge-Kutta formulas" (1986); the choice of steps follows E. Hairer, S. P. Nørsett and
G. Wanner, "Solving ordinary differential equations I", section II.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

NODES = np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1])
STAGES = np.array(
    [
        [0, 0, 0, 0, 0, 0],
        [1 / 5, 0, 0, 0, 0, 0],
        [3 / 40, 9 / 40, 0, 0, 0, 0],
        [44 / 45, -56 / 15, 32 / 9, 0, 0, 0],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729, 0, 0],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656, 0],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]
)
ERROR = np.array([-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40])
BETWEEN = np.array(
    [
        [1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432],
        [0, 0, 0, 0],
        [0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799],
        [0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072],
        [0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632],
        [0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844],
        [0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423],
    ]
)


class StepError(Exception):
    """There is no step by which to go on."""


def integrate(
    f: Callable[[np.ndarray, np.floating], np.ndarray],
    y: np.ndarray,
    times: np.ndarray,
    size_of: Callable[[np.ndarray], float],
    rtol: float,
    atol: float,
    mxstep: float,
    hmax: float,
    taken: list[float] | None = None,
) -> np.ndarray:
    """The solution of y' = f(y, t) at given times, the first of which is where it starts.

    Arguments:
        f: the right-hand side.
        y: the state at the first time.
        times: one direction all along.
        size_of: of a vector of errors in units of what is allowed.
        rtol, atol: the error allowed in a step, relative to y and absolute.
        mxstep: the most steps between two of the times.
        hmax: the longest step.
        taken: where to put the times at which steps ended.

    Returns:
        The states, one row for each time.

    Raises:
        StepError: more steps than mxstep, or steps that become too short to move on.
    """
    out = np.empty((len(times), y.size), y.dtype)
    out[0] = y
    sign = 1.0 if times[-1] >= times[0] else -1.0
    stages, error = STAGES.astype(y.real.dtype), ERROR.astype(y.real.dtype)
    slopes = np.empty((7, y.size), y.dtype)
    as_time = times.dtype.type
    t, end = float(times[0]), float(times[-1])
    slopes[0] = f(y, times[0])
    h = _first_step(f, y, t, slopes[0], sign, size_of, rtol, atol, as_time)
    done, steps, rejected = 1, 0, False
    while done < len(times):
        if (times[done] - t) * sign <= 0:
            out[done], done, steps = y, done + 1, 0
            continue
        if steps >= mxstep:
            raise StepError(f"more than mxstep={mxstep} steps between two output times, at t = {t}")
        h = min(h, hmax, abs(end - t))
        if not h > 4 * np.spacing(abs(t)):
            raise StepError(f"the step length shrank to {h:.1g} at t = {t}")
        dt = sign * h
        for s in range(1, 7):
            z = y + dt * (stages[s, :s] @ slopes[:s])
            slopes[s] = f(z, as_time(t + NODES[s] * dt))
        allowed = _allowed(np.maximum(np.abs(y), np.abs(z)), rtol, atol)
        e = size_of(dt * (error @ slopes) / allowed)
        steps += 1
        if e <= 1:
            t_next = end if h == abs(end - t) else t + dt
            while done < len(times) and (t_next - times[done]) * sign >= 0:
                x = (times[done] - t) / dt
                powers = (BETWEEN @ (x ** np.arange(1, 5))).astype(y.real.dtype)
                out[done] = z if x == 1 else y + dt * (powers @ slopes)
                done, steps = done + 1, 0
            t, y, slopes[0] = t_next, z, slopes[6]
            if taken is not None:
                taken.append(t)
            growth = 10.0 if e == 0 else min(10.0, 0.9 * e**-0.2)
            h *= min(1.0, growth) if rejected else max(0.2, growth)
            rejected = False
        else:
            h *= max(0.2, 0.9 * e**-0.2) if np.isfinite(e) else 0.2
            rejected = True
    return out


def _first_step(
    f: Callable,
    y: np.ndarray,
    t: float,
    slope: np.ndarray,
    sign: float,
    size_of: Callable,
    rtol: float,
    atol: float,
    as_time: Callable,
) -> float:
    """A length of step for the start, from the sizes of y, y' and, by a trial step, y''."""
    allowed = _allowed(np.abs(y), rtol, atol)
    d0, d1 = size_of(y / allowed), size_of(slope / allowed)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    other = f(y + sign * h * slope, as_time(t + sign * h))
    d2 = size_of((other - slope) / allowed) / h
    if max(d1, d2) <= 1e-15:
        return max(1e-6, h * 1e-3)
    return min(100 * h, (0.01 / max(d1, d2)) ** 0.2)


def _allowed(size: np.ndarray, rtol: float, atol: float) -> np.ndarray:
    """The error that is allowed in each element; never zero, for it divides."""
    return np.maximum(atol + rtol * size, np.finfo(size.dtype).tiny)


def sizes(lengths: Sequence[int], groups: Sequence[int]) -> Callable[[np.ndarray], float]:
    """The root mean square of a vector; of one that holds examples of a batch the largest of those of the examples.

    Arguments:
        lengths: of the parts that the vector consists of.
        groups: into how many examples each part falls.
    """
    if set(groups) == {1}:
        return lambda e: float(np.sqrt(np.vdot(e, e).real / max(e.size, 1)))
    ends = np.cumsum(lengths)

    def size_of(e: np.ndarray) -> float:
        squares: dict[int, np.ndarray] = {}
        counts: dict[int, int] = {}
        for start, n, group in zip(ends - lengths, lengths, groups, strict=True):
            part = e[start : start + n].reshape(group, -1)
            squares[group] = squares.get(group, 0) + (part.real**2 + part.imag**2).sum(axis=1)
            counts[group] = counts.get(group, 0) + part.shape[1]
        return float(np.sqrt(max([(s / max(counts[g], 1)).max(initial=0) for g, s in squares.items()])))

    return size_of
