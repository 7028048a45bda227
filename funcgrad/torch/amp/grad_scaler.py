"""`GradScaler`: losses are scaled up so that small gradients do not vanish in float16."""

from __future__ import annotations

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from funcgrad.core.faces import publish
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.base.naming import reduce_by_place, show_as_torch
from funcgrad.torch.ops.constructors import tensor
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.texts import amp as texts

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """How far an optimiser is since the last `update`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def _ready() -> dict[str, Any]:
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales losses up, and gradients down again before the step, which is left out where one is inf or nan.

    After such a step the scale falls; after enough others it grows.

    Arguments:
        device: the kind of device; without the default "cuda" a scaler does nothing, for "cpu" it works.
        init_scale: the first scale.
        growth_factor, backoff_factor: by which it grows and falls.
        growth_interval: the number of good steps after which it grows.
        enabled: False: it does nothing.

    Example:
        >>> from funcgrad import torch
        >>> w = torch.tensor([2.0], requires_grad=True)
        >>> optimizer = torch.optim.SGD([w], lr=0.5)
        >>> scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
        >>> scaler.scale((w * w).sum()).backward()
        >>> w.grad
        tensor([16.])
        >>> scaler.step(optimizer)
        >>> scaler.update()
        >>> w, scaler.get_scale()
        (tensor([0.], requires_grad=True), 4.0)
    """

    __reduce_ex__ = reduce_by_place

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if device == "cuda" and enabled:
            warnings.warn(texts.NO_CUDA_SCALER, stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale = init_scale
        self._scale: Any = None
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._init_growth_tracker = 0
        self._growth_tracker: Any = None
        self._per_optimizer_states: dict[int, dict[str, Any]] = defaultdict(_ready)

    def _check_scale_growth_tracker(self, funcname: str) -> None:
        for what in "_scale", "_growth_tracker":
            if getattr(self, what) is None:
                raise AssertionError(texts.NOT_SCALED.format(name=funcname, what=what))

    def _begin(self) -> Tensor:
        """The scale, which is made when it is first used."""
        if self._scale is None:
            if self._growth_tracker is not None:
                raise AssertionError("_growth_tracker initialized before _scale")
            self._scale = tensor(float(self._init_scale), dtype=dtypes.float32)
            self._growth_tracker = tensor(self._init_growth_tracker, dtype=dtypes.int32)
        return self._scale

    def scale(self, outputs: Any) -> Any:
        """A tensor, or an iterable of tensors, times the scale."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._begin()
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            kind: Any = type(outputs)
            return kind(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    @no_grad()
    def _unscale_grads_(self, optimizer: Any, inv_scale: Tensor, found_inf: Tensor, allow_fp16: bool) -> dict:
        """Scale the gradients of an optimiser down, and note whether one is inf or nan."""
        found = False
        for group in optimizer.param_groups:
            for p in group["params"]:
                if not isinstance(p, Tensor):
                    raise AssertionError(f"expected param to be torch.Tensor, got {type(p).__name__}")
                grad = p.grad
                if grad is None:
                    continue
                if not allow_fp16 and grad.dtype is dtypes.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                _unscale(grad, inv_scale, found_inf)
                found = True
        return {found_inf.device: found_inf} if found else {}

    def unscale_(self, optimizer: Any) -> None:
        """Scale the gradients of an optimiser down before its step, such as to clip them."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("unscale_")
        own = self._per_optimizer_states[id(optimizer)]
        if own["stage"] is OptState.UNSCALED:
            raise RuntimeError(texts.UNSCALED_TWICE)
        if own["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = self._scale.double().reciprocal().float()
        own["found_inf_per_device"] = self._unscale_grads_(optimizer, inverse, _zero(), False)
        own["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The step of an optimiser, unless one of its gradients is inf or nan; they are unscaled before.

        Returns:
            What the step returned, None if there was none.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError(texts.CLOSURE)
        self._check_scale_growth_tracker("step")
        own = self._per_optimizer_states[id(optimizer)]
        if own["stage"] is OptState.STEPPED:
            raise RuntimeError(texts.STEPPED_TWICE)
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            found = self._step_that_unscales(optimizer, own, args, kwargs)
            own["stage"] = OptState.STEPPED
            return found
        if own["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not own["found_inf_per_device"]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        found = self._maybe_opt_step(optimizer, own, *args, **kwargs)
        own["stage"] = OptState.STEPPED
        return found

    def _maybe_opt_step(self, optimizer: Any, optimizer_state: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        if any(v.item() for v in optimizer_state["found_inf_per_device"].values()):
            return None
        return optimizer.step(*args, **kwargs)

    def _step_that_unscales(self, optimizer: Any, own: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        """The step of an optimiser that is told the scale and whether a gradient is inf or nan."""
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            warnings.warn(texts.PASSES_ITSELF, FutureWarning, stacklevel=3)
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        if own["stage"] is OptState.READY:
            self._check_inf_per_device(optimizer)
        given = getattr(optimizer, "grad_scale", None)
        if own["stage"] is not OptState.UNSCALED:
            given = self._scale * (1 if given is None else given)
        optimizer.grad_scale = given
        optimizer.found_inf = sum(own["found_inf_per_device"].values())
        found = optimizer.step(*args, **kwargs)
        del optimizer.grad_scale, optimizer.found_inf
        return found

    def update(self, new_scale: Any = None) -> None:
        """Let the scale fall or grow, or set it; called after the steps of all optimisers."""
        if not self._enabled:
            return
        self._check_scale_growth_tracker("update")
        if new_scale is None:
            found = [v for s in self._per_optimizer_states.values() for v in s["found_inf_per_device"].values()]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adjust(any(v.item() for v in found))
        elif isinstance(new_scale, float):
            self._scale.fill_(new_scale)
        else:
            if new_scale.device.type != self._device or new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(texts.NEW_SCALE)
            self._scale.copy_(new_scale)
        self._per_optimizer_states = defaultdict(_ready)

    def _adjust(self, found_inf: bool) -> None:
        """The next scale."""
        if found_inf:
            self._scale.mul_(self._backoff_factor)
            self._growth_tracker.fill_(0)
            return
        self._growth_tracker.add_(1)
        if self._growth_tracker.item() == self._growth_interval:
            grown = self._scale * self._growth_factor
            if np.isfinite(grown.item()):
                self._scale.copy_(grown)
            self._growth_tracker.fill_(0)

    def _get_scale_async(self) -> Any:
        return self._scale

    def get_scale(self) -> float:
        """The scale; 1 of a scaler that does nothing."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        """By which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set by which the scale grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By which the scale falls."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set by which the scale falls."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """The number of good steps after which the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of good steps after which the scale grows."""
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint holds; nothing of a scaler that does nothing."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(texts.EMPTY_STATE)
        self._init_scale = state_dict["scale"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
            self._growth_tracker.fill_(state_dict["_growth_tracker"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(texts.PICKLED_WITHIN)
            state["_init_scale"] = self.get_scale()
            state["_init_growth_tracker"] = self._get_growth_tracker()
            state["_scale"] = None
            state["_growth_tracker"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def _check_inf_per_device(self, optimizer: Any) -> dict:
        self._check_scale_growth_tracker("_check_inf_per_device")
        own = self._per_optimizer_states[id(optimizer)]
        one = tensor(1.0, dtype=dtypes.float32)
        own["found_inf_per_device"] = self._unscale_grads_(optimizer, one, _zero(), True)
        return own["found_inf_per_device"]

    def _found_inf_per_device(self, optimizer: Any) -> dict:
        return self._per_optimizer_states[id(optimizer)]["found_inf_per_device"]


def _zero() -> Tensor:
    return tensor(0.0, dtype=dtypes.float32)


def _unscale(grad: Tensor, inv_scale: Tensor, found_inf: Tensor) -> None:
    """Multiply a gradient, and set `found_inf` to one if it is not finite."""
    if not grad.isfinite().all():
        found_inf.fill_(1.0)
    grad.mul_(inv_scale)


show_as_torch(__name__)
publish(__name__)
