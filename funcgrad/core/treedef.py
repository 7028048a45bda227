"""`PyTreeDef`: the structure of a pytree, without its leaves.

It is one flat tuple of entries, a container before its children and these in order, and not a tree of objects: so
nothing recurses, however deep the nesting, and comparing and hashing are those of tuples.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from funcgrad.core.tree_keys import KeyPath, keystr
from funcgrad.core.tree_registry import Node, nodes
from funcgrad.errors import ArgumentError, TreeError

Entry: TypeAlias = tuple[Node | None, Any, int]
"""A container: its node, its static data, the number of its children; or LEAF."""

LEAF: Entry = (None, None, 0)


class PyTreeDef:
    """The structure of a pytree without its leaves. Hashable, comparable, printable; made by `tree.structure`.

    Attributes:
        num_leaves: the number of leaves.
        num_nodes: the number of leaves and containers.

    Example:
        >>> structure = fg.tree.structure({"b": 1, "a": (2, 3)})
        >>> structure, structure.num_leaves
        (PyTreeDef({'a': (*, *), 'b': *}), 3)

    Source: `jax.tree_util.PyTreeDef` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """

    __slots__ = ("_entries", "num_leaves")

    def __init__(self, entries: tuple[Entry, ...], num_leaves: int) -> None:
        self._entries, self.num_leaves = entries, num_leaves

    @property
    def num_nodes(self) -> int:
        return len(self._entries)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The pytree of this structure with these leaves, which may be anything.

        Raises:
            TreeError: too few leaves, or too many.
        """
        rest = list(leaves)
        if len(rest) != self.num_leaves:
            raise self._wrong_number(len(rest))
        if self is LEAF_DEF:
            return rest[0]
        if len(self._entries) == self.num_leaves + 1:  # one container, and all in it are leaves
            node, aux, _ = self._entries[0]
            return node.unflatten(aux, tuple(rest))  # type: ignore[union-attr]  # a container
        # From the last entry to the first: the children of a container are then the last n values made, the first of
        # them on top.
        made: list[Any] = []
        for node, aux, n in reversed(self._entries):
            if node is None:
                made.append(rest.pop())
            elif n:
                children = tuple(made[: -n - 1 : -1])
                del made[-n:]
                made.append(node.unflatten(aux, children))
            else:
                made.append(node.unflatten(aux, ()))
        return made[0]

    def _wrong_number(self, given: int) -> TreeError:
        few = "few" if given < self.num_leaves else "many"
        return TreeError(f"too {few} leaves for {self}: it has {self.num_leaves}, got {given}")

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of a pytree at the places where this structure has its leaves.

        Raises:
            TreeError: the pytree has another structure above those places; the message names the first that differs.

        Example:
            >>> fg.tree.structure({"a": 0, "b": [0]}).flatten_up_to({"a": (1, 2), "b": [3]})
            [(1, 2), 3]
        """
        found: list[Any] = []
        rest = [tree]
        for i, (node, aux, n) in enumerate(self._entries):
            x = rest.pop()
            if node is None:
                found.append(x)
                continue
            if nodes[type(x)] is not node:
                raise self._mismatch(tree, i, x)
            children, other = node.flatten(x)
            if len(children) != n or not _same_data(node, aux, other):
                raise self._mismatch(tree, i, x)
            rest += children[::-1]
        return found

    def _mismatch(self, tree: Any, i: int, x: Any) -> TreeError:
        place = keystr(self._path_to(i, tree)) or "the root"
        return TreeError(f"the pytrees differ at {place}: {_difference(self._entries[i], x)}")

    def _path_to(self, i: int, tree: Any) -> KeyPath:
        """The path of entry i, with the keys of a pytree that has this structure up to there."""
        steps: list[list[int]] = []  # for each container around the place: its number of children, which of them it is
        for _, _, n in self._entries[:i]:
            if n:
                steps.append([n, 0])
                continue
            steps[-1][1] += 1
            while steps[-1][1] == steps[-1][0]:
                steps.pop()
                steps[-1][1] += 1
        path: list[Any] = []
        for _, k in steps:
            key, tree = nodes[type(tree)].flatten_with_keys(tree)[0][k]  # type: ignore[union-attr]  # a container
            path.append(key)
        return tuple(path)

    def children(self) -> list[PyTreeDef]:
        """The structures of the children of the root.

        Example:
            >>> fg.tree.structure([(1, 2), 3]).children()
            [PyTreeDef((*, *)), PyTreeDef(*)]
        """
        found: list[PyTreeDef] = []
        end = 1
        for _ in range(self._entries[0][2]):
            start, open_places = end, 1
            while open_places:
                open_places += self._entries[end][2] - 1
                end += 1
            found.append(treedef_of(self._entries[start:end]))
        return found

    def node_data(self) -> tuple[type, Any] | None:
        """The type and the static data of the root: of a dict its keys, of most others None. None for a leaf."""
        node, aux, _ = self._entries[0]
        if node is None:
            return None
        return node.type, None if aux is node.type else _shown_data(node, aux)  # a namedtuple has no data but its class

    def compose(self, inner: PyTreeDef) -> PyTreeDef:
        """The structure of a pytree of this structure, each leaf of which is a pytree of the structure `inner`.

        Example:
            >>> fg.tree.structure([1, 2]).compose(fg.tree.structure({"a": 1}))
            PyTreeDef([{'a': *}, {'a': *}])
        """
        _expect_treedef(inner, "compose")
        entries: list[Entry] = []
        for entry in self._entries:
            if entry[0] is None:
                entries += inner._entries
            else:
                entries.append(entry)
        return PyTreeDef(tuple(entries), self.num_leaves * inner.num_leaves)

    def walk(self, f_node: Callable[[tuple, Any], Any], f_leaf: Callable[[Any], Any], leaves: Iterable[Any]) -> Any:
        """Fold a pytree of this structure from its leaves to its root.

        Arguments:
            f_node: called for each container, with the results of its children and its static data.
            f_leaf: called for each leaf.
            leaves: the leaves.

        Returns:
            The result for the root.

        Raises:
            TreeError: too few leaves, or too many.

        Example:
            >>> fg.tree.structure([(1, 2), 3]).walk(lambda sums, _: sum(sums), lambda x: x, [1, 2, 3])
            6
        """
        rest = list(leaves)
        if len(rest) != self.num_leaves:
            raise self._wrong_number(len(rest))
        it = iter(rest)
        return self._fold(lambda node, aux, values: f_node(values, _shown_data(node, aux)), lambda: f_leaf(next(it)))

    def _fold(self, on_node: Callable[[Node, Any, tuple], Any], on_leaf: Callable[[], Any]) -> Any:
        """Children before their container, and both from left to right."""
        unfinished: list[tuple[Node, Any, int, list[Any]]] = []
        value: Any = None
        for node, aux, n in self._entries:
            if node is not None and n:
                unfinished.append((node, aux, n, []))
                continue
            value = on_leaf() if node is None else on_node(node, aux, ())
            while unfinished:
                outer, outer_aux, m, values = unfinished[-1]
                values.append(value)
                if len(values) < m:
                    break
                unfinished.pop()
                value = on_node(outer, outer_aux, tuple(values))
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PyTreeDef):
            return NotImplemented
        try:
            return self._entries == other._entries
        except Exception as e:  # of any kind, from == of the user's data
            raise _incomparable(e) from e

    def __hash__(self) -> int:
        try:
            return hash(self._entries)
        except TypeError:  # static data that cannot be hashed may still be compared
            return hash(tuple([(node, n) for node, _, n in self._entries]))

    def __repr__(self) -> str:
        return f"PyTreeDef({self._fold(_text, lambda: '*')})"

    def __reduce__(self) -> tuple:
        return _unpickle, ([None if node is None else (node.type, aux, n) for node, aux, n in self._entries],)


def treedef_of(entries: tuple[Entry, ...]) -> PyTreeDef:
    """The structure with these entries."""
    return PyTreeDef(entries, sum([entry[0] is None for entry in entries]))


LEAF_DEF = PyTreeDef((LEAF,), 1)
"""The structure of a single leaf."""


def treedef_tuple(treedefs: Iterable[PyTreeDef]) -> PyTreeDef:
    """The structure of a tuple of pytrees of the given structures.

    Example:
        >>> fg.tree.treedef_tuple([fg.tree.structure(1), fg.tree.structure([2])])
        PyTreeDef((*, [*]))
    """
    parts = list(treedefs)
    entries: list[Entry] = [(nodes[tuple], None, len(parts))]
    for part in parts:
        _expect_treedef(part, "treedef_tuple")
        entries += part._entries
    return treedef_of(tuple(entries))


def treedef_children(treedef: PyTreeDef) -> list[PyTreeDef]:
    """The structures of the children of the root: `treedef.children()`."""
    return treedef.children()


def treedef_is_leaf(treedef: PyTreeDef) -> bool:
    """Whether a structure has a single node: a leaf, or a container without children."""
    return treedef.num_nodes == 1


def _same_data(node: Node, aux: Any, other: Any) -> bool:
    """Whether the static data of two containers of one type agree."""
    try:
        return aux is other or bool(aux == other)
    except Exception as e:  # of any kind, from == of the user's data
        raise _incomparable(e, node) from e


def _incomparable(e: Exception, node: Node | None = None) -> TreeError:
    of = f"of {node.type.__name__} " if node else ""
    return TreeError(
        f"the static data {of}in a pytree could not be compared: {e}. It must compare with ==; arrays belong among the "
        f"children (data_fields)"
    )


def _expect_treedef(x: Any, name: str) -> None:
    if not isinstance(x, PyTreeDef):
        raise ArgumentError(f"{name} expects a PyTreeDef, as tree.structure gives it, got {type(x).__name__}")


def _shown_data(node: Node, aux: Any) -> Any:
    return list(aux) if node.type is dict else aux


def _text(node: Node, aux: Any, inner: tuple) -> str:
    """A container as text, with its children as text."""
    kind = node.type
    listed = ", ".join(inner)
    if kind is type(None):
        return "None"
    if kind is tuple:
        return f"({listed},)" if len(inner) == 1 else f"({listed})"
    if kind is list:
        return f"[{listed}]"
    if kind is dict:
        return "{" + ", ".join([f"{k!r}: {v}" for k, v in zip(aux, inner, strict=True)]) + "}"
    label = f"namedtuple[{kind.__name__}]" if aux is kind else f"{kind.__name__}[{aux}]"
    return f"CustomNode({label}, [{listed}])"


_repr = reprlib.Repr()
_repr.maxother = _repr.maxstring = 100
_short = _repr.repr


def _difference(entry: Entry, x: Any) -> str:
    """In what a subtree is not the container that was expected."""
    node, aux, n = entry
    assert node is not None, "a leaf fits everything"
    kind = node.type
    name = "None" if kind is type(None) else kind.__name__
    if nodes[type(x)] is not node:
        text = f"Expected {name}, got {_short(x)}."
        if type(x).__name__ == name:
            text += f" There are two classes of this name, {_full_name(kind)} and {_full_name(type(x))}."
        if x is None or kind is type(None):
            text += " None is a container without children; is_leaf=lambda x: x is None makes it a leaf."
        elif isinstance(x, kind):
            text += f" Pytrees go by the exact type, and {type(x).__name__} is a subclass."
        return text
    children, other = node.flatten(x)
    if kind is dict:
        text = f"Dict key mismatch; expected keys: {list(aux)}; present keys: {list(other)}."
        missing, extra = [k for k in aux if k not in other], [k for k in other if k not in aux]
        return text + (f" Missing: {missing}." if missing else "") + (f" Not expected: {extra}." if extra else "")
    if len(children) != n:
        return f"{name[0].upper() + name[1:]} arity mismatch: {len(children)} != {n}; {name}: {_short(x)}."
    return f"{name} data mismatch; expected {_short(aux)}, got {_short(other)}."


def _full_name(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


def _unpickle(entries: list[tuple[type, Any, int] | None]) -> PyTreeDef:
    found: list[Entry] = []
    for entry in entries:
        if entry is None:
            found.append(LEAF)
            continue
        cls, aux, n = entry
        if nodes[cls] is None:
            raise TreeError(
                f"a pickled PyTreeDef has containers of type {_full_name(cls)}, which is not registered as a pytree "
                f"in this process; import what registers it first"
            )
        found.append((nodes[cls], aux, n))
    return treedef_of(tuple(found))
