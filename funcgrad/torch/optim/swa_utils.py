"""`torch.optim.swa_utils`: averages of a model's parameters over training."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import show_as_torch
from funcgrad.torch.nn.modules.batchnorm import _BatchNorm
from funcgrad.torch.nn.modules.module import Module
from funcgrad.torch.ops.constructors import tensor
from funcgrad.torch.optim._schedule import LRScheduler, for_each_group
from funcgrad.torch.optim.optimizer import Optimizer
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import lr_scheduler as texts

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(texts.DECAY.format(decay=decay))


def _inexact(x: Tensor) -> bool:
    return x.is_floating_point() or x.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable:
    """The function that moves averages towards the current values, for lists of tensors; see `get_ema_avg_fn`."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: list, current_param_list: list, _: Any) -> None:
        for average, p in zip(ema_param_list, current_param_list, strict=True):
            if _inexact(ema_param_list[0]):
                average.lerp_(p, 1 - decay)
            else:
                average.copy_(average * decay + p * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable:
    """The function that takes current values into means, for lists of tensors; see `get_swa_avg_fn`."""

    @no_grad()
    def swa_update(averaged_param_list: list, current_param_list: list, num_averaged: Any) -> None:
        share = 1 / (num_averaged + 1)
        for average, p in zip(averaged_param_list, current_param_list, strict=True):
            average.lerp_(p, share)

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable:
    """The exponential moving average: `decay` times the average, and the rest of the current value.

    Example:
        >>> from funcgrad import torch
        >>> average = torch.optim.swa_utils.get_ema_avg_fn(0.75)
        >>> average(torch.tensor(4.0), torch.tensor(8.0), 1)
        tensor(5.)
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable:
    """The mean of all values so far: the function of the mean, the current value and their number before."""

    @no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A model whose parameters are averages of another one's.

    Arguments:
        model: the model that is trained; it is copied.
        device: there is the cpu.
        avg_fn: the new average of (average, parameter, number of averaged); by default the mean.
        multi_avg_fn: the same for lists of tensors, which it writes into.
        use_buffers: whether buffers are averaged, too; otherwise they are copied.

    Example:
        >>> from funcgrad import torch
        >>> model = torch.nn.Linear(1, 1, bias=False)
        >>> averaged = torch.optim.swa_utils.AveragedModel(model)
        >>> for value in 1.0, 2.0, 6.0:
        ...     _ = torch.nn.init.constant_(model.weight, value)
        ...     averaged.update_parameters(model)
        >>> averaged.module.weight.item()
        3.0
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Callable | None = None,
        multi_avg_fn: Callable | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError(texts.TWO_AVERAGES)
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, dtype=dtypes.int64, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged model computes."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the current parameters of a model into the averages."""
        averages, currents = [], []
        for average, p in zip(self._averaged(self.module), self._averaged(model), strict=False):
            averages.append(average.detach())
            currents.append(p.detach())
        if self.n_averaged == 0:
            for average, p in zip(averages, currents, strict=True):
                average.copy_(p)
        elif self.multi_avg_fn is not None:
            for kind in dict.fromkeys(average.dtype for average in averages):
                chosen = [i for i, average in enumerate(averages) if average.dtype is kind]
                self.multi_avg_fn([averages[i] for i in chosen], [currents[i] for i in chosen], self.n_averaged)
        else:
            function = self.avg_fn or get_swa_avg_fn()
            for average, p in zip(averages, currents, strict=True):
                average.copy_(function(average, p, self.n_averaged))
        if not self.use_buffers:
            for b, current in zip(self.module.buffers(), model.buffers(), strict=True):
                b.detach().copy_(current.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Tensor]:
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of batch normalisation anew, as means over all of the data.

    Arguments:
        loader: batches; of a tuple or a list the first is taken.
        model: the model.
        device: there is the cpu.
    """
    momenta = {m: m.momentum for m in model.modules() if isinstance(m, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    for batch in loader:
        x = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(x if device is None else x.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """The learning rates go to a constant one over a number of epochs, where averaging then goes on.

    Arguments:
        optimizer: whose learning rates it sets.
        swa_lr: that learning rate, or a list with one for each group.
        anneal_epochs: the number of epochs.
        anneal_strategy: "cos" or "linear".
        last_epoch: where to go on, -1 for a fresh start.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        for lr, group in zip(for_each_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = lr
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(texts.ANNEAL_STRATEGY.format(given=anneal_strategy))
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t: float) -> float:
        """The share of `swa_lr` after a share of the epochs."""
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list[Any]:
        """The next learning rates; called by `step`."""
        self._warn_of_direct_call()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = [self.anneal_func(max(0, min(1, s / max(1, self.anneal_epochs)))) for s in (step - 1, step)]
        found = []
        for group in self.optimizer.param_groups:
            swa_lr = group["swa_lr"]
            start = swa_lr if before == 1 else (group["lr"] - before * swa_lr) / (1 - before)
            found.append(swa_lr * now + start * (1 - now))
        return found


show_as_torch(__name__)
publish(__name__)
