"""Pytrees as torch has them: nested containers of leaves, taken apart and put together.

Containers are tuples, lists, dicts, ordered and default dicts, deques and named tuples, but no others derived from
these classes. A dict keeps its order. Everything else is a leaf, None too.
https://github.com/pytorch/pytorch/blob/main/torch/utils/_pytree.py
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from funcgrad.torch.base.meta import Size

_LEAVES: set[type] = {type(None), int, float, bool, str}
"""Classes that are known not to be containers."""

_SEQUENCES = frozenset((tuple, list, deque, Size))
_DICTS = frozenset((dict, OrderedDict, defaultdict))


class TreeSpec:
    """The structure of a pytree.

    Attributes:
        kind: the class of the outermost container; None for a leaf.
        context: what is known of it beside its children, the keys of a dict for example.
        children: their structures.
        leaves: how many leaves there are.
    """

    __slots__ = ("children", "context", "kind", "leaves")
    leaves: int

    def __init__(self, kind: Any, context: Any, children: tuple[TreeSpec, ...]) -> None:
        self.kind, self.context, self.children = kind, context, children
        self.leaves: int = sum([c.leaves for c in children]) if kind is not None else 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        return self is other or (
            self.kind is other.kind and self.context == other.context and self.children == other.children
        )

    __hash__ = None  # type: ignore[assignment]  # contexts are lists

    def unflatten(self, leaves: Any) -> Any:
        """The pytree with these leaves."""
        return self._build(iter(leaves))

    def _build(self, leaves: Iterator[Any]) -> Any:
        kind = self.kind
        if kind is None:
            return next(leaves)
        found = [c._build(leaves) for c in self.children]
        if kind is list:
            return found
        if kind in (dict, OrderedDict):
            return kind(zip(self.context, found, strict=True))
        if kind is defaultdict:
            return defaultdict(self.context[0], zip(self.context[1], found, strict=True))
        if kind is deque:
            return deque(found, maxlen=self.context)
        return kind(*found) if self.context is kind else kind(found)

    def dict_keys(self) -> Any:
        """The keys, if this is a dict."""
        return self.context[1] if self.kind is defaultdict else self.context

    def __repr__(self) -> str:
        return self._text(0)

    def _text(self, indent: int) -> str:
        if self.kind is None:
            return "*"
        name = "namedtuple" if self.context is self.kind else self.kind.__name__
        inner = (",\n" + " " * (indent + 2)).join([c._text(indent + 2) for c in self.children])
        return f"TreeSpec({name}, {self.context}, [{inner}])"

    def shown(self) -> str:
        """The pytree as Python shows it, with stars for leaves."""
        return repr(self.unflatten([_STAR] * self.leaves))


LEAF = TreeSpec(None, None, ())


class _Star:
    def __repr__(self) -> str:
        return "*"


_STAR = _Star()


def flatten(x: Any) -> tuple[list[Any], TreeSpec]:
    """The leaves of a pytree and its structure.

    Example:
        >>> from funcgrad.torch.base.treespec import flatten
        >>> flatten({"b": 1, "a": (2, None)})
        ([1, 2, None], TreeSpec(dict, ['b', 'a'], [*,
          TreeSpec(tuple, None, [*,
            *])]))
    """
    leaves: list[Any] = []
    return leaves, _flatten(x, leaves)


def _flatten(x: Any, leaves: list[Any]) -> TreeSpec:
    kind = type(x)
    if kind in _LEAVES:
        leaves.append(x)
        return LEAF
    if kind is tuple or kind is list:
        return TreeSpec(kind, None, tuple([_flatten(c, leaves) for c in x]))
    children, context = _taken_apart(x, kind)
    if children is None:
        _LEAVES.add(kind)
        leaves.append(x)
        return LEAF
    return TreeSpec(kind, context, tuple([_flatten(c, leaves) for c in children]))


def _taken_apart(x: Any, kind: type) -> tuple[Any, Any]:
    """The children of a container, None for a leaf; and what else there is to it."""
    if kind in _DICTS:
        keys = list(x)
        return x.values(), [x.default_factory, keys] if kind is defaultdict else keys
    if kind in _SEQUENCES:
        return x, x.maxlen if kind is deque else None
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return x, None if kind.__module__ == "torch.return_types" else kind
    return None, None


def leaves(x: Any) -> list[Any]:
    """The leaves of a pytree."""
    return flatten(x)[0]


def tree_map(f: Callable[[Any], Any], x: Any) -> Any:
    """The pytree in which f was applied to each leaf."""
    found, spec = flatten(x)
    return spec.unflatten([f(leaf) for leaf in found])


def spread(prefix: Any, spec: TreeSpec) -> list[Any] | None:
    """For each leaf of a structure the leaf of `prefix` above it; None if prefix does not fit the structure.

    Example:
        >>> from funcgrad.torch.base.treespec import flatten, spread
        >>> spread((0, None), flatten(("x", ["y", "z"]))[1])
        [0, None, None]
    """
    found: list[Any] = []
    return found if _spread(prefix, spec, found) else None


def _spread(prefix: Any, spec: TreeSpec, found: list[Any]) -> bool:
    kind = type(prefix)
    children, context = _taken_apart(prefix, kind)
    if children is None:
        found.extend([prefix] * spec.leaves)
        return True
    if kind in _DICTS and spec.kind in _DICTS:
        if set(prefix) != set(spec.dict_keys()):
            return False
        children = [prefix[k] for k in spec.dict_keys()]
    elif kind is not spec.kind or context != spec.context or len(children) != len(spec.children):
        return False
    return all(_spread(p, s, found) for p, s in zip(children, spec.children, strict=True))
