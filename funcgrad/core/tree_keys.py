"""Key paths: where in a pytree something is, as a tuple with one key for each container on the way to it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, TypeAlias


class _Key:
    """A step on a path. Keys of one kind compare and hash by what they hold."""

    __slots__: tuple[str, ...] = ()

    def _held(self) -> Hashable:
        return getattr(self, self.__slots__[0])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and type(self) is type(other) and self._held() == other._held()

    def __hash__(self) -> int:
        return hash((type(self), self._held()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.__slots__[0]}={self._held()!r})"


class DictKey(_Key):
    """A step into a dict: `['w']`."""

    __slots__ = ("key",)

    def __init__(self, key: Hashable) -> None:
        self.key = key

    def __str__(self) -> str:
        return f"[{self.key!r}]"


class SequenceKey(_Key):
    """A step into a list or tuple: `[0]`."""

    __slots__ = ("idx",)

    def __init__(self, idx: int) -> None:
        self.idx = idx

    def __str__(self) -> str:
        return f"[{self.idx}]"


class GetAttrKey(_Key):
    """A step into a named field of a namedtuple or dataclass: `.weight`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f".{self.name}"


class FlattenedIndexKey(_Key):
    """A step into a container that was registered without keys: `[<flat index 0>]`, the position of the child."""

    __slots__ = ("key",)

    def __init__(self, key: int) -> None:
        self.key = key

    def __str__(self) -> str:
        return f"[<flat index {self.key}>]"


KeyEntry: TypeAlias = Any
"""One step: a key of the kinds above, or what the flatten function of a registered class gives in its place."""

KeyPath: TypeAlias = tuple[KeyEntry, ...]
"""The path to a subtree; that of the root is empty."""


def keystr(keys: KeyPath, *, simple: bool = False, separator: str = "") -> str:
    """A path as text.

    Arguments:
        keys: the path.
        simple: whether to write only what the keys hold, instead of how Python would write the access.
        separator: stands between the keys.

    Returns:
        The keys, joined.

    Example:
        >>> [(path, _)] = fg.tree.leaves_with_path({"layers": [(1.0,)]})
        >>> fg.tree.keystr(path), fg.tree.keystr(path, simple=True, separator="/")
        ("['layers'][0][0]", 'layers/0/0')

    Source: `jax.tree_util.keystr` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    return separator.join([str(k._held()) if simple and isinstance(k, _Key) else str(k) for k in keys])


def index_keys(children: Iterable[Any]) -> list[tuple[KeyEntry, Any]]:
    """Children of a list or tuple, each with its key."""
    return [(SequenceKey(i), c) for i, c in enumerate(children)]


def argument_place(path: KeyPath, numbers: Any = None) -> str:
    """Where a leaf of a tuple of arguments is, for messages: `argument 0 at ['w']`."""
    n = path[0].idx if numbers is None else numbers[path[0].idx]
    return f"argument {n}{f' at {keystr(path[1:])}' if path[1:] else ''}"
