"""`torch.profiler`: where the time goes, by function, as Python's cProfile sees it, and by named part."""

from __future__ import annotations

import cProfile
import enum
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.autograd.profiler import record_function as record_function
from funcgrad.torch.autograd.profiler import watchers as _watchers

__all__ = ["ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "supported_activities"]


class ProfilerActivity(enum.Enum):
    """What is timed: the cpu."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3


class ProfilerAction(enum.Enum):
    """What a schedule says of a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """The cpu."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps are timed: after `skip_first` steps, in turn `wait` and `warmup` steps that are not, and `active`."""

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if skip_first_wait:
            step += wait
        length = wait + warmup + active
        if step < 0 or (repeat and step >= repeat * length) or step % length < wait:
            return ProfilerAction.NONE
        if step % length < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if step % length < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


@dataclass(frozen=True, slots=True)
class FunctionAverage:
    """The calls of one function, or of one named part. Times are in microseconds."""

    key: str
    count: int
    self_cpu_time_total: float
    cpu_time_total: float

    @property
    def cpu_time(self) -> float:
        """The time of a call, on average."""
        return self.cpu_time_total / self.count


_SORTED_BY = ("count", "self_cpu_time_total", "cpu_time_total", "cpu_time")


class Averages(list):
    """What `key_averages` gives: a list of `FunctionAverage`, the one with the most time of its own first."""

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """The list as text.

        Arguments:
            sort_by: an attribute of a `FunctionAverage`; by default the list's own order.
            row_limit: how many rows at most.
        """
        rows = sorted(self, key=lambda row: -getattr(row, sort_by)) if sort_by in _SORTED_BY else list(self)
        head = ("Name", "Self CPU", "CPU total", "CPU time avg", "# of Calls")
        lines = [f"{'Name':<60}" + "".join([f"{title:>15}" for title in head[1:]])]
        for row in rows[:row_limit]:
            times = (row.self_cpu_time_total, row.cpu_time_total, row.cpu_time)
            lines.append(f"{row.key[-60:]:<60}" + "".join([f"{t:>13.1f}us" for t in times]) + f"{row.count:>15}")
        total = sum(row.self_cpu_time_total for row in self)
        return "\n".join([*lines, f"Self CPU time total: {total:.1f}us"]) + "\n"


class profile:  # noqa: N801  (torch's name)
    """Time what happens in a `with` block.

    Arguments:
        schedule: which steps are timed, see `schedule`; the program calls `step()` after each. By default all is.
        on_trace_ready: called with the profile when a schedule's cycle, or the block, is over.
        options: the others of PyTorch's make no difference.

    Example:
        >>> from funcgrad import torch
        >>> with torch.profiler.profile() as seen, torch.profiler.record_function("product"):
        ...     _ = torch.ones(2, 2) @ torch.ones(2, 2)
        >>> [row.count for row in seen.key_averages() if row.key == "product"]
        [1]
    """

    def __init__(
        self,
        *,
        activities: Any = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        **options: Any,
    ) -> None:
        self.schedule, self.on_trace_ready, self.step_num = schedule, on_trace_ready, 0
        self._profile, self._on = cProfile.Profile(), False
        self._named: dict[str, list[float]] = {}

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin."""
        self._turn(self.schedule is None or self.schedule(0).value >= ProfilerAction.RECORD.value)

    def stop(self) -> None:
        """End."""
        ready = self._on
        self._turn(False)
        if ready and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """A step of the program is over."""
        if self.schedule is None:
            return
        done = self.schedule(self.step_num)
        self.step_num += 1
        if done is ProfilerAction.RECORD_AND_SAVE:
            self.stop()
        self._turn(self.schedule(self.step_num).value >= ProfilerAction.RECORD.value)

    def _turn(self, on: bool) -> None:
        if on is self._on:
            return
        self._on = on
        if on:
            _watchers.append(self._name)
            self._profile.enable()
        else:
            self._profile.disable()
            _watchers.remove(self._name)

    def _name(self, name: str, seconds: float) -> None:
        self._named.setdefault(name, []).append(seconds)

    def key_averages(self, *args: Any, **options: Any) -> Averages:
        """How often each function was called, and the time that it took: alone, and with those that it called."""
        found = [FunctionAverage(name, len(t), 0.0, 1e6 * sum(t)) for name, t in self._named.items()]
        for entry in self._profile.getstats():
            code: Any = entry.code
            key = code if isinstance(code, str) else f"{code.co_filename}:{code.co_firstlineno}({code.co_name})"
            found.append(FunctionAverage(key, entry.callcount, 1e6 * entry.inlinetime, 1e6 * entry.totaltime))
        return Averages(sorted(found, key=lambda row: (-row.self_cpu_time_total, -row.cpu_time_total)))


publish(__name__)
