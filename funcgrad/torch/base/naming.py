"""Where torch's programs find a class: the module that it says it is from, in its repr and in pickles."""

from __future__ import annotations

import copyreg
import sys
from importlib import import_module
from typing import Any


def show_as_torch(name: str, shown: str = "") -> None:
    """Have the classes of a module say that they are from torch; called below them.

    Their objects can be pickled where no module is called torch, too.

    Arguments:
        name: the module, `__name__`.
        shown: the public module that shows the classes, if it is another one.
    """
    shown = (shown or name).removeprefix("funcgrad.")
    for value in list(vars(sys.modules[name]).values()):
        if isinstance(value, type) and value.__module__ == name:
            value.__module__ = shown
            if value.__reduce_ex__ is object.__reduce_ex__:
                value.__reduce_ex__ = reduce_by_place  # type: ignore[assignment]  # of any class


def reduce_by_place(self: Any, protocol: Any) -> Any:
    """`__reduce_ex__` of objects whose class may say that it is from torch.

    Where Python does not find the class under the name that it shows, as PyTorch's programs do, it is named by its
    place in this package.
    """
    found = object.__reduce_ex__(self, protocol)
    cls = type(self)
    by_new = found[0] is copyreg.__newobj__  # type: ignore[attr-defined]  # which is there, for pickle's use
    if not by_new or not cls.__module__.startswith("torch.") or is_found(cls):
        return found
    return (new_object, (f"funcgrad.{cls.__module__}", cls.__qualname__, *found[1][1:]), *found[2:])


def new_object(module: str, name: str, *args: Any) -> Any:
    """An object of a class, which is named by its place, before it gets its state."""
    cls = class_at(module, name)
    return cls.__new__(cls, *args)


def class_at(module: str, name: str) -> Any:
    """The class at a place in this package."""
    return getattr(import_module(module), name)


def is_found(cls: type) -> bool:
    """Whether Python finds a class under the name that it shows."""
    return getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls
