"""Modules without a file of their own: a few names that programs ask for, and words on why there are no more."""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import ModuleSpec
from typing import Any

from funcgrad.torch.texts import programs as texts


class Namespace:
    """A module that is made of its names.

    Arguments:
        name: its full name, such as "torch.backends".
        doc: what it is for.
        reason: why it has no other names, for the error of those.
        later: names, and the modules that they are, which are loaded when they are first asked for.
        names: what is in it.
    """

    def __init__(
        self, name: str, doc: str, reason: str = "", later: dict[str, str] | None = None, **names: Any
    ) -> None:
        self.__name__, self.__doc__ = name, doc
        self.__spec__ = ModuleSpec(name, None, is_package=True)
        self.__path__ = self.__spec__.submodule_search_locations  # modules in it can be imported
        self.__dict__.update(names)
        self._reason, self._later = reason, later or {}

    def __dir__(self) -> list[str]:
        return sorted(name for name in {*vars(self), *self._later} if name[0] != "_")

    def __getattr__(self, name: str) -> Any:
        if name in vars(self).get("_later", ()):
            return import_module(self._later[name])
        if name[:2] == "__" or not self._reason:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        raise AttributeError(texts.REFUSED_NAME.format(module=self.__name__, name=name, reason=self._reason))

    def __repr__(self) -> str:
        return f"<module '{self.__name__}'>"
