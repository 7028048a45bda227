"""What the names in a file of torch stand for: the functions and classes that either library finds under them."""

from __future__ import annotations

import sys
from importlib import import_module
from types import FunctionType
from typing import Any

from funcgrad.torch.base import dtypes, meta
from funcgrad.torch.ops import copying, parameter
from funcgrad.torch.ops.parameter import Parameter
from funcgrad.torch.tensor.tensor import Tensor


class StorageType:
    """What stands in a file for the dtype of a storage."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


STORAGE_TYPES = {d: StorageType(d) for d in dtypes.ALL}
UNTYPED = StorageType(dtypes.uint8)

NAMES: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): copying.rebuild_tensor,
    ("torch._utils", "_rebuild_tensor_v3"): copying.rebuild_tensor_of_dtype,
    ("torch._utils", "_rebuild_parameter"): parameter.rebuild_parameter,
    ("torch._utils", "_rebuild_parameter_with_state"): parameter.rebuild_parameter_with_state,
    ("torch._tensor", "_rebuild_from_type_v2"): copying.rebuild_from_type,
    ("torch", "Size"): meta._restored_size,
    ("torch", "device"): meta.as_device,
    ("torch", "Tensor"): Tensor,
    ("torch.nn.parameter", "Parameter"): Parameter,
    ("torch.storage", "UntypedStorage"): UNTYPED,
    **{("torch", d.name): d for d in dtypes.ALL},
    **{("torch", f"{d.title}Storage"): s for d, s in STORAGE_TYPES.items()},
}

_NAME_OF = {id(x): name for name, x in NAMES.items()}


_SHOWN_BY = {"torch._C._nn": "torch.nn.functional"}
"""The public modules in which functions are found that PyTorch's library has elsewhere."""


def found_in_torch(module: str, name: str) -> Any:
    """What a name in a file stands for, if torch has it; otherwise None. Modules of torch are imported.

    Raises:
        AttributeError, ModuleNotFoundError: it is torch's, and there is no such thing here.
    """
    known = NAMES.get((module, name))
    if known is not None or module.partition(".")[0] != "torch":
        return known
    if name == "_VariableFunctionsClass":  # of which files say that they have the function tanh
        return import_module("funcgrad.torch")
    found: Any = import_module(f"funcgrad.{_SHOWN_BY.get(module, module)}")
    for part in name.split("."):
        found = getattr(found, part)
    return found


def name_of(x: Any) -> tuple[str, str] | None:
    """The module of torch and the name in it under which files have a function, class or dtype; None if it is no such.

    A function lies in a file of its family; the file that is saved names the package that shows it, as PyTorch does.
    """
    known = _NAME_OF.get(id(x))
    if known is not None or not isinstance(x, (type, FunctionType)):
        return known
    module, name = x.__module__, x.__qualname__
    if isinstance(x, type):
        return (module, name) if module.partition(".")[0] == "torch" and _shows(f"funcgrad.{module}", name, x) else None
    while module.startswith("funcgrad.torch."):
        module = module.rpartition(".")[0]
        if _shows(module, name, x):
            return module.removeprefix("funcgrad."), name
    return None


def _shows(module: str, name: str, x: Any) -> bool:
    """Whether a module that is loaded has x under this name."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found is x


def is_module_class(kind: type) -> bool:
    """Whether a class is one of torch.nn's modules, or of the user's."""
    return any((c.__module__, c.__name__) == ("torch.nn.modules.module", "Module") for c in kind.__mro__)
