"""Every function of the torch face, and every method of a tensor that gives one."""

from __future__ import annotations

import functools
import sys
import weakref
from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import funcgrad.torch as face
from funcgrad.torch import autograd
from funcgrad.torch.declare.op import namespaces
from funcgrad.torch.nn import functional
from funcgrad.torch.nn.modules import transformer
from funcgrad.torch.nn.parameter import Parameter
from funcgrad.torch.report.calls import LEAVING
from funcgrad.torch.report.entries import Seen
from funcgrad.torch.report.watching.core import Patches, watched
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.utils import swapping

_NO_VALUES = frozenset([
    "__bool__", "__contains__", "__deepcopy__", "__dir__", "__format__", "__hash__", "__index__", "__init__", "__len__",
    "__new__", "__reduce_ex__", "__repr__", "__str__", "allclose", "backward", "can_cast", "equal", "is_complex",
    "is_contiguous", "is_floating_point", "is_inference", "is_pinned", "is_same_size", "is_set_to", "is_shared",
    "is_tensor", "isclose", "numel", "promote_types", "register_hook", "requires_grad_", "result_type", "retain_grad",
    "share_memory_", "storage", "type", "typename",
])  # fmt: skip
"""What gives no values that go on."""


def watch_functions(patches: Patches) -> None:
    """Those of torch and of its namespaces, wherever modules hold them."""
    complete()  # what is declared later would not be watched
    for name in ("amp", "distributions", "fft", "linalg", "special", "utils.checkpoint", "utils.data"):
        import_module(f"{face.__name__}.{name}")
    for name, f in namespaces[""].all().items():
        vars(face).setdefault(name, f)
    for names in namespaces.values():
        names.all()
    ours = [name for name in sys.modules if name.startswith("funcgrad.torch")]
    for owner, name, seen in _sites(len(ours)):
        patches.set(owner, name, seen)
    for f, defaults in _with_defaults(len(ours)):
        patches.undo.append(functools.partial(setattr, f, "__defaults__", f.__defaults__))
        f.__defaults__ = defaults
    for names in namespaces.values():
        for name, f in list(names.items()):
            if id(f) in _functions():
                names[name] = _functions()[id(f)][1]
                patches.undo.append(functools.partial(names.__setitem__, name, f))


@functools.cache
def _functions() -> dict[int, tuple[Any, Callable]]:
    """All functions that give values, and what is put in their places, by id."""
    found: dict[int, tuple[Any, Callable]] = {}
    public = [(name, f) for name, f in vars(functional).items() if name[0] != "_"]
    declared = [(name, f) for names in namespaces.values() for name, f in names.items() if name not in _NO_VALUES]
    for name, f in [*declared, *public]:
        if callable(f) and not isinstance(f, type):
            found.setdefault(id(f), (f, watched(name, f)))
    return found


@functools.lru_cache(maxsize=1)
def _sites(count: int) -> list[tuple[Any, str, Callable]]:
    """Where modules hold these functions: the module, the name, and what is put there. There are so many modules."""
    known = _functions()
    ours = [m for name, m in list(sys.modules.items()) if name.startswith("funcgrad.torch")]
    return [(m, name, known[id(f)][1]) for m in ours for name, f in vars(m).items() if id(f) in known]


@functools.lru_cache(maxsize=1)
def _with_defaults(count: int) -> list[tuple[Any, tuple]]:
    """Methods that compare activations with those that are their defaults, and other defaults for them."""
    known, found = _functions(), []
    for cls in vars(transformer).values():
        for f in vars(cls).values() if isinstance(cls, type) else ():
            old = getattr(f, "__defaults__", None) or ()
            if any(id(d) in known for d in old):
                found.append((f, tuple([known[id(d)][1] if id(d) in known else d for d in old])))
    return found


def watch_methods(patches: Patches) -> None:
    """Those of tensors, and what makes tensors of a class."""
    for name, method in _methods():
        patches.set(Tensor, name, method)
    for name in ("T", "mT", "H", "mH", "real", "imag"):
        shown: Any = vars(Tensor)[name]
        seen: Any = type(shown)(watched(name, shown.fget), shown.fset, shown.fdel)
        if hasattr(seen, "__set_name__"):
            seen.__set_name__(Tensor, name)
        patches.set(Tensor, name, seen)
    make: Any = vars(Tensor)["__new__"]
    patches.set(Tensor, "__new__", staticmethod(watched("Tensor", make.__func__)))
    new: Any = vars(Parameter)["__new__"]

    def parameter(cls: type, *args: Any, **kwargs: Any) -> Any:
        return watched_new(*args, cls_=cls, **kwargs)

    def made(*args: Any, cls_: Any, **kwargs: Any) -> Any:
        return new.__func__(cls_, *args, **kwargs) if isinstance(new, staticmethod) else new(cls_, *args, **kwargs)

    watched_new = watched("Parameter", made)
    patches.set(Parameter, "__new__", staticmethod(parameter))
    patches.set(swapping, "weakref", SimpleNamespace(getweakrefs=_weak_references))
    for cls in (Tensor, Parameter):
        copied: Any = vars(cls)["__deepcopy__"]
        patches.set(cls, "__deepcopy__", watched("deepcopy", copied))
    apply: Any = vars(autograd.Function)["apply"].__func__
    patches.set(autograd.Function, "apply", classmethod(watched("Function.apply", apply)))


@functools.cache
def _methods() -> list[tuple[str, Callable]]:
    """The methods of tensors that give values, and what is put in their places."""
    found = []
    for name, f in vars(Tensor).items():
        module = getattr(f, "__module__", "") or ""
        if name in _NO_VALUES or (name[0] == "_" and name[:2] != "__"):
            continue
        if callable(f) and not isinstance(f, (type, staticmethod, classmethod)):
            ours = module.startswith(("funcgrad.torch.ops.", "funcgrad.torch.declare.operators"))
            if ours or module == "funcgrad.torch.tensor.fast" or name in LEAVING or name in ("detach", "detach_"):
                found.append((name, watched(name, f)))
    return found


def _weak_references(t: Any) -> list[Any]:
    """Those to a tensor but ours, which do not mind if it becomes another."""
    return [r for r in weakref.getweakrefs(t) if not isinstance(r, Seen)]
