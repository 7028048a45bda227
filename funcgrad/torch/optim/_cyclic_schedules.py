"""Schedules that go up and down: cycles, a single cycle, and cosines that start anew."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.optim._schedule import (
    LRScheduler,
    attributes_of,
    check_optimizer,
    for_each_group,
    set_option,
)
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.texts import lr_scheduler as texts


class _WithMomentum(LRScheduler):
    """A schedule that also moves the momentum, or the first of Adam's factors, the other way."""

    use_beta1: bool

    def _begin_momentum(
        self, optimizer: Optimizer, cycle_momentum: bool, base_momentum: Any, max_momentum: Any, last_epoch: int
    ) -> tuple[list, list]:
        """See which option it is and set it to its largest value; gives the least and the largest for each group."""
        self.cycle_momentum = cycle_momentum
        if not cycle_momentum:
            return [], []
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(texts.NO_MOMENTUM)
        self.use_beta1 = "betas" in optimizer.defaults
        least = for_each_group("base_momentum", optimizer, base_momentum)
        largest = for_each_group("max_momentum", optimizer, max_momentum)
        if last_epoch == -1:
            for high, low, group in zip(largest, least, optimizer.param_groups, strict=True):
                self._set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        return least, largest

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """The learning rates go up from `base_lr` to `max_lr` and down again, in cycles that may become smaller.

    Arguments:
        optimizer: whose learning rates it sets.
        base_lr, max_lr: the least and the largest learning rate, or lists with one for each group.
        step_size_up, step_size_down: the number of steps up, and down (by default as many).
        mode: "triangular", "triangular2" (each cycle is half as high) or "exp_range" (gamma to the number of steps).
        gamma: of "exp_range".
        scale_fn: the height of a cycle, instead of a mode.
        scale_mode: whether `scale_fn` gets the number of the "cycle" or of "iterations".
        cycle_momentum: whether the momentum goes the other way.
        base_momentum, max_momentum: between which it goes.
        last_epoch: where to go on, -1 for a fresh start.
    """

    _scale_fn_ref: Callable

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = for_each_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for lr, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_option(group, "lr", lr)
        self.max_lrs = for_each_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        found = self._begin_momentum(optimizer, cycle_momentum, base_momentum, max_momentum, last_epoch)
        if cycle_momentum:
            self.base_momentums, self.max_momentums = found
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        self.scale_mode = "iterations" if self.mode == "exp_range" else "cycle"
        if self.mode == "exp_range":
            self._scale_fn_ref = partial(_exponential, self.gamma)
        else:
            self._scale_fn_ref = _whole if self.mode == "triangular" else _halved

    def scale_fn(self, x: float) -> float:
        """The height of a cycle, or of an iteration."""
        return self._scale_fn_ref(x) if self._scale_fn_custom is None else self._scale_fn_custom(x)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)

        def height(low: Any, high: Any) -> Any:
            return (high - low) * part * self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)

        found = [low + height(low, high) for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]
        if self.cycle_momentum:
            groups = self.optimizer.param_groups
            for group, low, high in zip(groups, self.base_momentums, self.max_momentums, strict=True):
                self._set_momentum(group, high - height(low, high))
        return found

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds: of a `scale_fn` that is an object the attributes, of a function nothing."""
        found = super().state_dict()
        found.pop("_scale_fn_ref", None)
        found["_scale_fn_custom"] = attributes_of(found.pop("_scale_fn_custom"))
        return found

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        super().load_state_dict({k: v for k, v in state_dict.items() if k != "_scale_fn_custom"})
        attributes = state_dict["_scale_fn_custom"]
        if attributes is not None:
            self._scale_fn_custom.__dict__.update(attributes)
        self._init_scale_fn()


def _whole(x: float) -> float:
    return 1.0


def _halved(x: float) -> float:
    return 1 / (2.0 ** (x - 1))


def _exponential(gamma: float, x: float) -> float:
    return gamma**x


class OneCycleLR(_WithMomentum):
    """The learning rates go up to `max_lr` once, and then down to very little.

    Arguments:
        optimizer: whose learning rates it sets.
        max_lr: the largest learning rate, or a list with one for each group.
        total_steps: the number of steps; or
        epochs, steps_per_epoch: whose product it is.
        pct_start: the share of the steps that goes up.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: whether the momentum goes the other way.
        base_momentum, max_momentum: between which it goes.
        div_factor: how much smaller than `max_lr` the first learning rate is.
        final_div_factor: how much smaller than that the last one is.
        three_phase: whether the way down goes to the first learning rate, and from there to the last.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            self.total_steps = _positive("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive("epochs", epochs) * _positive("steps_per_epoch", steps_per_epoch)
        else:
            raise ValueError(texts.NO_TOTAL)
        up = float(pct_start * self.total_steps) - 1
        phases = [(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")]
        if three_phase:
            back = float(2 * pct_start * self.total_steps) - 2
            phases.append((back, "max_lr", "initial_lr", "base_momentum", "max_momentum"))
            phases.append((self.total_steps - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"))
        else:
            phases.append((self.total_steps - 1, "max_lr", "min_lr", "base_momentum", "max_momentum"))
        names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        self._schedule_phases: list[dict[str, Any]] = [dict(zip(names, phase, strict=True)) for phase in phases]
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(texts.ANNEAL_STRATEGY.format(given=anneal_strategy))
        self._anneal_func_type = anneal_strategy
        max_lrs = for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for high, group in zip(max_lrs, optimizer.param_groups, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self._begin_momentum(optimizer, cycle_momentum, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, pct: float) -> Any:
        """The value of which a share of the way from start to end is done."""
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)
        return (end - start) * pct + start

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(texts.TOO_MANY_STEPS.format(step=step, total=self.total_steps))
        start, phase = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step <= phase["end_step"]:
                break
            start, phase = phase["end_step"], following
        pct = (step - start) / (phase["end_step"] - start)
        found = []
        for group in self.optimizer.param_groups:
            found.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], pct))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal_func(*ends, pct))
        return found


def _positive(name: str, value: Any) -> int:
    if value <= 0 or not isinstance(value, int):
        raise ValueError(f"Expected positive integer {name}, but got {value}")
    return value


class CosineAnnealingWarmRestarts(LRScheduler):
    """The learning rates go down along half a cosine and start anew, after times that may become longer.

    Arguments:
        optimizer: whose learning rates it sets.
        T_0: the number of epochs until the first restart.
        T_mult: by which that is multiplied at each restart.
        eta_min: the smallest learning rate.
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        part = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (lr - self.eta_min) * part / 2 for lr in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on to the next epoch, or to a given one; that may be a fraction, if steps are made within epochs."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        elif epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        elif epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            restarts = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**restarts - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**restarts
        self.last_epoch = math.floor(epoch)
        with self._asked_by_step():
            values = self.get_lr()
        self._set_lrs(values)


show_as_torch(__name__, "funcgrad.torch.optim.lr_scheduler")
