"""Conversions of the tensors of a module, all by `_apply`: of their dtype and their layout."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from funcgrad.torch import __future__ as settings
from funcgrad.torch.base.modes import no_grad
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.ops.conversion import parse_to
from funcgrad.torch.texts import modules as texts
from funcgrad.torch.utils.swapping import swap_tensors


def _apply(self: Any, fn: Callable, recurse: bool = True) -> Any:
    """Replace each tensor of this module, and of its submodules, by what a function makes of it.

    Parameters stay the same objects, with other data, and so do their gradients; buffers become others.
    """
    if recurse:
        for module in self.children():
            module._apply(fn)
    for name, param in self._parameters.items():
        if param is None:
            continue
        with no_grad():
            applied = fn(param)
            grad = param.grad
            applied_grad: Any = None if grad is None else fn(grad)
        if settings.get_swap_module_params_on_conversion():
            _swap(self, name, param, applied, grad, applied_grad)
        elif settings.get_overwrite_module_params_on_conversion():
            self._parameters[name] = new = Parameter(applied, param.requires_grad)
            if grad is not None:
                new.grad = applied_grad.requires_grad_(grad.requires_grad)
        else:
            param.data = applied
            if grad is not None:
                grad.data = applied_grad
    for name, buffer in self._buffers.items():
        if buffer is not None:
            self._buffers[name] = fn(buffer)
    return self


def _swap(module: Any, name: str, param: Any, applied: Any, grad: Any, applied_grad: Any) -> None:
    """Have a parameter, and its gradient, exchange all that they are with converted ones."""
    try:
        param.grad = None
        swap_tensors(param, Parameter(applied, requires_grad=param.requires_grad))
    except Exception as error:  # of any kind: the gradient comes back, and the error says whose it is
        param.grad = grad
        raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}") from error
    if grad is not None:
        try:
            swap_tensors(grad, applied_grad.requires_grad_(grad.requires_grad))
        except Exception as error:  # likewise
            raise RuntimeError(f"_apply(): Couldn't swap {module._get_name()}.{name}.grad") from error
        param.grad = grad


def to(self: Any, *args: Any, **kwargs: Any) -> Any:
    """Bring floating-point parameters and buffers to another dtype, or all to another place or layout.

    Called as `to(device=None, dtype=None, non_blocking=False)`, `to(dtype, non_blocking=False)`,
    `to(tensor, non_blocking=False)` or `to(memory_format=torch.channels_last)`, which concerns tensors of four
    dimensions (`channels_last_3d`: of five).

    Returns:
        The module itself.

    Example:
        >>> from funcgrad import torch
        >>> torch.nn.Linear(2, 3).to(torch.float64).weight.dtype
        torch.float64
    """
    device, dtype, non_blocking, layout = parse_to(*args, **kwargs)
    if dtype is not None:
        if not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(texts.ONLY_FLOATING.format(dtype=dtype))
        if dtype.is_complex:
            warnings.warn(texts.COMPLEX_MODULES, stacklevel=2)

    def convert(t: Any) -> Any:
        kind = dtype if t.is_floating_point() or t.is_complex() else None
        if layout is not None and t.dim() in (4, 5):
            return t.to(device, kind, non_blocking, memory_format=layout)
        return t.to(device, kind, non_blocking)

    return self._apply(convert)
