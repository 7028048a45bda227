"""What is loaded when it is first asked for: most families of operations, so that a small program starts without them.

`torch/ops/families.py` says which family declares what. A function of a namespace leads to its family by `Functions`, a
method of Tensor by `Later`. Derivatives of derivatives and transforms record operations that the program has not named,
and by formulas that families give each other: `complete` loads all of them first.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

families: dict[str, None] = {}
"""The modules that have perhaps not been loaded, in the order in which `complete` does that."""


def complete() -> None:
    """Load all families."""
    if families:
        for module in (*families,):
            import_module(module)
        families.clear()


class Functions(dict[str, Any]):
    """The functions of a namespace, by name.

    Attributes:
        later: those that have perhaps not been declared yet, and the modules that do.
    """

    def __init__(self) -> None:
        self.later: dict[str, str] = {}

    def __missing__(self, name: str) -> Any:
        import_module(self.later[name])
        if name not in self:
            raise KeyError(name)
        return self[name]

    def all(self) -> Functions:
        """The same, when every family of this namespace has been loaded."""
        for module in dict.fromkeys(self.later.values()):  # in the order of announcement, in every process
            import_module(module)
        return self


class Later:
    """Stands in a class for a method until its family, which puts the method in its place, is loaded.

    A program may have put a method of its own there before: that one stays.
    """

    __slots__ = ("cls", "module", "name")

    waiting: ClassVar[set[tuple[type, str]]] = set()
    """The methods, by class and name, whose families have not put them in their places."""

    def __init__(self, cls: type, name: str, module: str) -> None:
        self.cls, self.name, self.module = cls, name, module
        self.waiting.add((cls, name))

    def __get__(self, x: Any, cls: type | None = None) -> Any:
        import_module(self.module)
        method = vars(self.cls)[self.name]
        if method is self:
            raise AttributeError(f"{self.module} is being loaded and has not declared {self.name!r} yet")
        return method.__get__(x, cls) if hasattr(method, "__get__") else method
