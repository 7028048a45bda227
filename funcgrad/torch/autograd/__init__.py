"""`torch.autograd`: gradients of tensors."""

from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import Any as _Any

from funcgrad.core.faces import publish
from funcgrad.torch.autograd import grad_mode as grad_mode
from funcgrad.torch.autograd import variable as variable
from funcgrad.torch.autograd.backward import backward as backward
from funcgrad.torch.autograd.backward import grad as grad
from funcgrad.torch.autograd.grad_mode import enable_grad as enable_grad
from funcgrad.torch.autograd.grad_mode import inference_mode as inference_mode
from funcgrad.torch.autograd.grad_mode import no_grad as no_grad
from funcgrad.torch.autograd.grad_mode import set_grad_enabled as set_grad_enabled
from funcgrad.torch.autograd.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from funcgrad.torch.autograd.variable import Variable as Variable
from funcgrad.torch.tensor.anomaly_mode import detect_anomaly as detect_anomaly
from funcgrad.torch.tensor.anomaly_mode import set_detect_anomaly as set_detect_anomaly

_LATER = {name: name for name in ("forward_ad", "function", "functional", "graph", "profiler")} | {
    "Function": "function",
    "NestedIOFunction": "function",
    "gradcheck": "gradcheck",
    "gradgradcheck": "gradcheck",
}
"""Names, and the modules that are loaded when they are first asked for."""


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")
    module = _import_module(f"{__name__}.{_LATER[name]}")
    globals()[name] = found = module if name == _LATER[name] != "gradcheck" else getattr(module, name)
    return found


class _Package(_ModuleType):
    """This package: Python makes a module its attribute when it is imported, which must not hide the function."""

    def __setattr__(self, name: str, value: _Any) -> None:
        hides = name == "gradcheck" and isinstance(value, _ModuleType)
        super().__setattr__(name, value.gradcheck if hides else value)


_sys.modules[__name__].__class__ = _Package


publish(__name__, grad_mode, variable, later=_LATER)
