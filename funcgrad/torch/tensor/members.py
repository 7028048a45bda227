"""Methods and properties that a module installs on a class of a module below it.

`Tensor` and `Node` know nothing of what is built on them. A module that gives them a method writes it as a function of
its own, and installs it:

    @member_of(Tensor)
    def detach(self): ...

    @property_of(Tensor)
    def is_leaf(self): ...

    @property_of(Tensor, setter=_set_grad)
    def grad(self): ...
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar

from funcgrad.torch.tensor.later import Later

T = TypeVar("T")


def member_of(cls: type, name: str | None = None) -> Callable[[T], T]:
    """Install a function, staticmethod or classmethod on a class; a decorator, which gives it back.

    Python's own errors about the arguments of a function name the class then, so one that is public under a name of its
    own, too, is better installed by `add_member`.

    Arguments:
        cls: the class.
        name: in the class; by default that of the function.

    Raises:
        TypeError: the class itself has that name already.
    """

    def install(value: T) -> T:
        member: Any = value
        known_as = member.__name__ if name is None else name
        add_member(cls, known_as, value)
        if isinstance(member, FunctionType):
            member.__name__ = known_as
            member.__qualname__ = f"{cls.__qualname__}.{known_as}"
        return value

    return install


def property_of(
    cls: type, name: str | None = None, *, setter: Callable | None = None, deleter: Callable | None = None
) -> Callable[[Callable], Callable]:
    """Install a property on a class; a decorator, which gives the function that gets it back.

    Arguments:
        cls: the class.
        name: in the class; by default that of the function.
        setter, deleter: what setting and deleting it call; by default they raise.

    Raises:
        TypeError: the class itself has that name already.
    """

    def install(getter: Callable) -> Callable:
        add_member(cls, name or getter.__name__, property(getter, setter, deleter))
        return getter

    return install


def add_member(cls: type, name: str, value: Any) -> None:
    """Install anything on a class under a name; what a program has put there meanwhile stays.

    Raises:
        TypeError: the class itself has that name already.
    """
    if (cls, name) in Later.waiting:
        Later.waiting.remove((cls, name))
        if type(vars(cls).get(name)) is not Later:
            return
    elif name in vars(cls):
        raise TypeError(f"{cls.__name__}.{name} is declared twice")
    setattr(cls, name, value)
