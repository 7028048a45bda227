"""`import torch` leads to funcgrad: for a program, and for the libraries that it imports."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from funcgrad.torch.base.namespaces import Namespace
from funcgrad.torch.texts import programs as texts

_HOUSE = __name__.rpartition(".")[0]


class Installed:
    """What `install` returns: a context, after which `import torch` leads where it led before."""

    def __init__(self, new: bool) -> None:
        self._new = new

    def __enter__(self) -> Installed:
        return self

    def __exit__(self, *error: object) -> None:
        if self._new:
            uninstall()


def install() -> Installed:
    """Have `import torch`, and imports of what is below it, give funcgrad's modules, from now on.

    Returns:
        A context: after `with torch.install(): ...` it is as before. Without `with` it stays, until `uninstall()`.

    Raises:
        ImportError: PyTorch itself has been imported before.

    Example:
        >>> from funcgrad import torch
        >>> with torch.install():
        ...     from torch.nn.functional import relu
        >>> relu(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    new = _finder not in sys.meta_path
    if new:
        there = sys.modules.get("torch")
        if there is not None:
            raise ImportError(texts.TORCH_IS_THERE.format(file=getattr(there, "__file__", "")), name="torch")
        sys.meta_path.insert(0, _finder)
    return Installed(new)


def uninstall() -> None:
    """Undo `install`: the next `import torch` looks for PyTorch. What has been imported stays what it is."""
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "torch"]:
            del sys.modules[name]


class _Finder:
    """Finds the modules of torch under the name torch: the same objects as under funcgrad.torch."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if fullname.partition(".")[0] != "torch":
            return None
        loader: Any = self
        return ModuleSpec(fullname, loader) if _has(fullname) else _refuse(fullname)

    def create_module(self, spec: ModuleSpec) -> None:
        """As usual."""

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = _module(module.__name__)  # which takes the place of the new one

    def find_distributions(self, context: Any) -> Iterable[Any]:
        """The version of torch, for programs that ask which packages are installed."""
        return import_module(f"{_HOUSE}.metadata").distributions(context)


_finder = _Finder()


def _ours(name: str) -> str:
    return _HOUSE + name.removeprefix("torch")


def _attribute(name: str) -> Any:
    """What can be imported and is no file: an attribute of what is above it."""
    above, _, last = name.rpartition(".")
    if not above:
        return None
    found = getattr(sys.modules.get(above) or sys.modules.get(_ours(above)), last, None)
    return found if isinstance(found, (ModuleType, Namespace)) else None


def _has(name: str) -> bool:
    if _attribute(name) is not None:
        return True
    in_a_package = name == "torch" or hasattr(sys.modules.get(_ours(name.rpartition(".")[0])), "__path__")
    return in_a_package and find_spec(_ours(name)) is not None


def _module(name: str) -> Any:
    return _attribute(name) or import_module(_ours(name))


def _refuse(name: str) -> None:
    """Say what there is instead of a module.

    Raises:
        ModuleNotFoundError: always.
    """
    reason = texts.REFUSED_MODULES.get(name)
    if reason is None:
        above, _, last = name.rpartition(".")
        near = import_module("difflib").get_close_matches(last, _modules_in(sys.modules[above]), 3, 0.7)
        there = ", ".join(f"'{above}.{n}'" for n in near)
        reason = texts.NEAR_NAMES.format(names=there) if near else texts.NOT_OF_THE_FACE
    raise ModuleNotFoundError(f"No module named '{name}': {reason}", name=name)


def _modules_in(above: ModuleType) -> list[str]:
    found = {name for name, value in vars(above).items() if isinstance(value, (ModuleType, Namespace))}
    return sorted(name for name in found | set(getattr(above, "_LATER", ())) if name[0] != "_")
