"""Which lines take the time, forward and backward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from funcgrad.debug.explain.places import Place
from funcgrad.debug.explain.record import Recording


class Time(NamedTuple):
    """What the operations of one line took, measured one by one, uncompiled.

    Attributes:
        place: the line; None if it is unknown.
        forward: seconds for computing the values, and keeping what the rules ask for.
        backward: seconds for the rules.
        share: of the time of all lines, forward and backward together.
    """

    place: Place | None
    forward: float
    backward: float
    share: float

    def __str__(self) -> str:
        where = "lines that are unknown" if self.place is None else self.place
        return f"{self.share:>4.0%}  forward {time_text(self.forward)}, backward {time_text(self.backward)}  {where}"


def time_text(seconds: float) -> str:
    """Seconds, as `1.2 ms`."""
    scale, unit = next((s, u) for s, u in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if seconds * s >= 1 or u == "µs")
    return f"{seconds * scale:.3g} {unit}"


def times(recordings: Sequence[Recording]) -> list[Time]:
    """The time of each line, the largest first; of each operation the shortest of several runs counts."""
    first, *_ = recordings
    alike = [r for r in recordings if len(r.steps) == len(first.steps)]
    found: dict[Place | None, list[float]] = {}
    for steps in zip(*[r.steps for r in alike], strict=True):
        place = steps[0].place and steps[0].place.line_alone
        total = found.setdefault(place, [0.0, 0.0])
        total[0] += min(s.seconds for s in steps)
        total[1] += min(s.back for s in steps)
    whole = sum(map(sum, found.values())) or 1.0
    lines = [
        Time(place, forward, backward, (forward + backward) / whole) for place, (forward, backward) in found.items()
    ]
    return sorted(lines, key=lambda t: -t.share)
