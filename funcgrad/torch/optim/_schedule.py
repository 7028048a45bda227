"""`LRScheduler`: what sets the learning rates of an optimiser from epoch to epoch."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any
from weakref import ref

from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.optim._update import scalar
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import lr_scheduler as texts


class LRScheduler:
    """The base of all schedules.

    A schedule says in `get_lr` how the learning rates follow from those before (the *chainable* form: several
    schedules may act on one optimiser), and may say in `_get_closed_form_lr` what they are at any epoch.

    Arguments:
        optimizer: whose learning rates it sets.
        last_epoch: where to go on, -1 for a fresh start.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    __reduce_ex__ = reduce_by_place

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(texts.NO_INITIAL_LR.format(i=i))
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds: all but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The learning rates of the groups, as they were set last."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to a given one, and set the learning rates; called after the optimiser's step."""
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(texts.STEP_OVERRIDDEN, UserWarning, stacklevel=2)
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(texts.STEPPED_FIRST, UserWarning, stacklevel=2)
        self._step_count += 1
        if epoch is not None:
            warnings.warn(texts.EPOCH, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with self._asked_by_step():
            if epoch is None:
                self.last_epoch += 1
                values = self.get_lr()
            else:
                self.last_epoch = epoch
                values = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set_lrs(values)

    def _set_lrs(self, values: list[Any]) -> None:
        for group, lr in zip(self.optimizer.param_groups, values, strict=True):
            set_option(group, "lr", lr)
        self._last_lr = values_of(self.optimizer, "lr")

    @contextmanager
    def _asked_by_step(self) -> Iterator[None]:
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _warn_of_direct_call(self) -> None:
        """Warn a program that calls `get_lr` itself."""
        if not self._get_lr_called_within_step:
            warnings.warn(texts.USE_GET_LAST_LR, UserWarning, stacklevel=3)

    def _times(self, factor: float) -> list[Any]:
        """The learning rates times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _unchanged(self) -> list[Any]:
        return values_of(self.optimizer, "lr")


class _LRScheduler(LRScheduler):
    """The same, by its old name."""


def _note_steps(optimizer: Optimizer) -> None:
    """Have the optimiser remember that it was stepped."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    weak = ref(optimizer)
    step: Any = optimizer.step
    function = step.__func__

    @wraps(function)
    def noted(*args: Any, **kwargs: Any) -> Any:
        stepped: Any = weak()
        stepped._opt_called = True
        return function.__get__(stepped, type(stepped))(*args, **kwargs)

    noted._wrapped_by_lr_sched = True  # type: ignore[attr-defined]  # functions have attributes
    optimizer.step = noted


def check_optimizer(optimizer: Any) -> None:
    """Raise torch's error if this is none."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copied(value: Any) -> Any:
    """An option as it is now: tensors are written into."""
    return value.clone() if isinstance(value, Tensor) else value


def values_of(optimizer: Optimizer, key: str) -> list[Any]:
    """What an option is in each group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def set_option(group: dict[str, Any], key: str, value: Any) -> None:
    """Set an option; a tensor stays, and is written into."""
    if isinstance(group[key], Tensor):
        group[key].fill_(scalar(value))
    else:
        group[key] = value


def for_each_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """An argument that may be one for all groups, or a list with one for each."""
    n = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * n
    elif len(value) != n:
        raise ValueError(texts.LENGTH.format(name=name, given=len(value), groups=n))
    return [copied(v) for v in value]


def attributes_of(f: Callable | None) -> dict[str, Any] | None:
    """What a checkpoint holds of a function: the attributes of an object that can be called."""
    return None if f is None or isinstance(f, types.FunctionType) else f.__dict__.copy()


show_as_torch(__name__, "funcgrad.torch.optim.lr_scheduler")
