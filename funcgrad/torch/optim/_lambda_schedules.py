"""Schedules that multiply the learning rates by what a function of the epoch says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._schedule import LRScheduler, attributes_of
from funcgrad.torch.optim.optimizer import Optimizer


class _ByFunctions(LRScheduler):
    """A schedule with a function for each group, and what checkpoints hold of these."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        self.optimizer = optimizer
        n = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * n
        elif len(lr_lambda) != n:
            raise ValueError(f"Expected {n} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas: list[Callable] = list(lr_lambda)
        self._check_functions()
        super().__init__(optimizer, last_epoch)

    def _check_functions(self) -> None:
        """Raise an error if they are none."""

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds: functions are left out, of objects that can be called there are the attributes."""
        found = super().state_dict()
        del found["lr_lambdas"]
        return found | {"lr_lambdas": [attributes_of(f) for f in self.lr_lambdas]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                f.__dict__.update(attributes)


class LambdaLR(_ByFunctions):
    """The learning rates are the initial ones times a function of the epoch.

    Arguments:
        optimizer: whose learning rates it sets.
        lr_lambda: the function, or a list with one for each group.
        last_epoch: where to go on, -1 for a fresh start.

    Example:
        >>> from funcgrad import torch
        >>> optimizer = torch.optim.SGD([torch.zeros(2, requires_grad=True)], lr=0.5)
        >>> schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
        >>> optimizer.step()
        >>> schedule.step()
        >>> schedule.get_last_lr()
        [0.25]
    """

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        return [lr * f(self.last_epoch) for f, lr in zip(self.lr_lambdas, self.base_lrs, strict=True)]


class MultiplicativeLR(_ByFunctions):
    """The learning rates are multiplied every epoch by a function of it.

    Its arguments are those of `LambdaLR`.
    """

    def _check_functions(self) -> None:
        for f in self.lr_lambdas:
            if not callable(f):
                raise TypeError(f"lr_lambda should be a function, but got {type(f).__name__}")

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        if self._is_initial:
            return self._unchanged()
        groups = self.optimizer.param_groups
        return [group["lr"] * f(self.last_epoch) for f, group in zip(self.lr_lambdas, groups, strict=True)]


show_as_torch(__name__, "funcgrad.torch.optim.lr_scheduler")
