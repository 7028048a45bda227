"""Schedules that are made of others: one after the other, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._plateau import ReduceLROnPlateau
from funcgrad.torch.optim._schedule import LRScheduler, set_option, values_of
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.texts import lr_scheduler as texts


class _Combined(LRScheduler):
    """What the two have in common: the schedules that they are made of, and checkpoints of these."""

    _schedulers: Any

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds, with that of each schedule inside."""
        found = super().state_dict()
        del found["_schedulers"]
        return found | {"_schedulers": [s.state_dict() for s in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            scheduler.load_state_dict(state)


def _check(name: str, schedulers: Sequence[Any], optimizer: Optimizer | None, more: str = "") -> Optimizer:
    """Raise torch's error if schedules do not go together; gives the optimiser that they have."""
    if len(schedulers) < 1:
        raise ValueError(texts.NO_SCHEDULER.format(name=name, more=more))
    optimizer = optimizer or schedulers[0].optimizer
    for i, s in enumerate(schedulers):
        if not hasattr(s, "optimizer"):
            raise TypeError(texts.NO_OPTIMIZER.format(name=name, i=i))
        if isinstance(s, ReduceLROnPlateau):
            raise ValueError(texts.PLATEAU_INSIDE.format(name=name, i=i))
        if optimizer != s.optimizer:
            raise ValueError(
                texts.OTHER_OPTIMIZER.format(
                    name=name,
                    scheduler=type(s).__name__,
                    i=i,
                    optimizer=s.optimizer,
                    expected=type(optimizer).__name__,
                )
            )
    return optimizer


class SequentialLR(_Combined):
    """One schedule after the other.

    Arguments:
        optimizer: whose learning rates they set.
        schedulers: the schedules.
        milestones: the epochs at which the second one and those after it begin.
        last_epoch: where to go on, -1 for a fresh start.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.optim import lr_scheduler
        >>> optimizer = torch.optim.SGD([torch.zeros(2, requires_grad=True)], lr=1.0)
        >>> warm = lr_scheduler.LinearLR(optimizer, start_factor=0.5, total_iters=2)
        >>> cool = lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
        >>> schedule = lr_scheduler.SequentialLR(optimizer, [warm, cool], milestones=[2])
        >>> for _ in range(4):
        ...     print(schedule.get_last_lr())
        ...     optimizer.step()
        ...     schedule.step()
        [0.5]
        [0.75]
        [1.0]
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[LRScheduler], milestones: list[int], last_epoch: int = -1
    ) -> None:
        _check(type(self).__name__, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(texts.MILESTONES.format(schedulers=len(schedulers), milestones=len(milestones)))
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # each schedule has made its first step when it was made, which is taken back here
        for group in optimizer.param_groups:
            set_option(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take one epoch back, of all schedules inside."""
        sched = self if sched is None else sched
        if hasattr(sched, "_schedulers"):
            for s in sched._schedulers:
                self.recursive_undo(s)
        elif hasattr(sched, "last_epoch"):
            sched.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]  # without an epoch, as torch has it
        """Go on to the next epoch, and maybe to the next schedule."""
        self.last_epoch += 1
        i = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[i]
        if i > 0 and self._milestones[i - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """Several schedules at once: each changes what those before it have left.

    Arguments:
        schedulers: the schedules.
        optimizer: whose learning rates they set.
    """

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        self.optimizer = _check(type(self).__name__, schedulers, optimizer, " to be chained")
        self._schedulers = schedulers
        self._last_lr = values_of(schedulers[-1].optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]  # without an epoch, as torch has it
        """Go on to the next epoch with all schedules."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self._schedulers[-1].optimizer, "lr")


show_as_torch(__name__, "funcgrad.torch.optim.lr_scheduler")
