"""Schedules that multiply the learning rates by factors given by a formula."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import Any

from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._schedule import LRScheduler
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.texts import lr_scheduler as texts


class StepLR(LRScheduler):
    """The learning rates are multiplied by gamma every `step_size` epochs.

    Arguments:
        optimizer: whose learning rates it sets.
        step_size: the number of epochs.
        gamma: the factor.
        last_epoch: where to go on, -1 for a fresh start.

    Example:
        >>> from funcgrad import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(2, requires_grad=True)], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
        >>> for _ in range(4):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(schedule.get_last_lr())
        [1.0]
        [0.5]
        [0.5]
        [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._unchanged()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma ** (self.last_epoch // self.step_size) for lr in self.base_lrs]


class MultiStepLR(LRScheduler):
    """The learning rates are multiplied by gamma at each of the milestones.

    Arguments:
        optimizer: whose learning rates it sets.
        milestones: the epochs; one that stands twice counts twice.
        gamma: the factor.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self.last_epoch not in self.milestones:
            return self._unchanged()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> list[Any]:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [lr * self.gamma**passed for lr in self.base_lrs]


class ConstantLR(LRScheduler):
    """The learning rates are multiplied by a factor until a number of epochs has passed.

    Arguments:
        optimizer: whose learning rates it sets.
        factor: between 0 and 1.
        total_iters: the number of epochs.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError(texts.CONSTANT_FACTOR)
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._unchanged()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> list[Any]:
        over = self.last_epoch >= self.total_iters
        return [lr * (self.factor + over * (1 - self.factor)) for lr in self.base_lrs]


class LinearLR(LRScheduler):
    """The learning rates are multiplied by a factor that changes linearly over a number of epochs.

    Arguments:
        optimizer: whose learning rates it sets.
        start_factor, end_factor: the factor at the beginning and at the end, both at most 1.
        total_iters: the number of epochs.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(texts.START_FACTOR)
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(texts.END_FACTOR)
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        rise = self.end_factor - self.start_factor
        return self._times(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self) -> list[Any]:
        rise = self.end_factor - self.start_factor
        factor = self.start_factor + rise * min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * factor for lr in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The learning rates are multiplied by gamma every epoch.

    Arguments:
        optimizer: whose learning rates it sets.
        gamma: the factor.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        return self._unchanged() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> list[Any]:
        return [lr * self.gamma**self.last_epoch for lr in self.base_lrs]


class PolynomialLR(LRScheduler):
    """The learning rates fall to zero as a power of the share of epochs that is left.

    Arguments:
        optimizer: whose learning rates it sets.
        total_iters: the number of epochs.
        power: the power.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        left, before = [1.0 - epoch / self.total_iters for epoch in (self.last_epoch, self.last_epoch - 1)]
        return self._times((left / before) ** self.power)

    def _get_closed_form_lr(self) -> list[Any]:
        left = 1.0 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [lr * left**self.power for lr in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The learning rates go down to `eta_min` along half a cosine, and up again.

    Arguments:
        optimizer: whose learning rates it sets.
        T_max: the number of epochs on the way down.
        eta_min: the smallest learning rate.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        low = self.eta_min
        if self._is_initial:
            return self._unchanged()
        if self._step_count == 1 and self.last_epoch > 0:
            part = 1 + math.cos(self.last_epoch * math.pi / self.T_max)
            return [low + (lr - low) * part / 2 for lr in self.base_lrs]
        groups = self.optimizer.param_groups
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # just past the lowest point
            part = 1 - math.cos(math.pi / self.T_max)
            return [g["lr"] + (lr - low) * part / 2 for lr, g in zip(self.base_lrs, groups, strict=True)]
        part, before = [1 + math.cos(math.pi * e / self.T_max) for e in (self.last_epoch, self.last_epoch - 1)]
        return [part / before * (group["lr"] - low) + low for group in groups]

    def _get_closed_form_lr(self) -> list[Any]:
        part = 1 + math.cos(math.pi * self.last_epoch / self.T_max)
        return [self.eta_min + (lr - self.eta_min) * part / 2 for lr in self.base_lrs]


show_as_torch(__name__, "funcgrad.torch.optim.lr_scheduler")
