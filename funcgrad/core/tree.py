"""Pytrees: nested containers of arrays, taken apart into a list of leaves and put together again.

A pytree is a leaf, or a container whose children are pytrees. dict, list, tuple, namedtuple, OrderedDict,
defaultdict and None are known; dataclasses and other classes join by registration. Names and meaning are those of
`jax.tree` (https://docs.jax.dev/en/latest/pytrees.html): None is a container without children, and dicts are
walked in the order of their sorted keys.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from funcgrad.errors import ArgumentError, TreeError


class _Key:
    """A step on the path to a leaf. Keys of one kind compare and hash by what they hold."""

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
    """A step into a named field: `.weight`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __str__(self) -> str:
        return f".{self.name}"


class Node:
    """How one container type is taken apart: `flatten(x) -> (children, aux)`, `unflatten(aux, children) -> x`.

    `keys(aux, n)` gives one key for each of the n children.
    """

    __slots__ = ("flatten", "keys", "unflatten")

    def __init__(
        self,
        flatten: Callable[[Any], tuple[Iterable[Any], Any]],
        unflatten: Callable[[Any, tuple], Any],
        keys: Callable[[Any, int], list],
    ) -> None:
        self.flatten, self.unflatten, self.keys = flatten, unflatten, keys


def _sequence_keys(aux: Any, n: int) -> list:
    return [SequenceKey(i) for i in range(n)]


def _dict_keys(aux: Any, n: int) -> list:
    return [DictKey(k) for k in aux]


def _sorted_keys(d: dict) -> tuple:
    try:
        return tuple(sorted(d))
    except TypeError as e:
        raise TreeError(f"the keys of a dict in a pytree must be sortable, but {list(d)!r} are not: {e}") from None


def _flatten_dict(d: dict) -> tuple:
    keys = _sorted_keys(d)
    return [d[k] for k in keys], keys


def _flatten_defaultdict(d: defaultdict) -> tuple:
    keys = _sorted_keys(d)
    return [d[k] for k in keys], (d.default_factory, keys)


# The registry of container types: made by definitions at import time, read-only in use.
_nodes: dict[type, Node] = {
    list: Node(lambda x: (x, None), lambda aux, c: list(c), _sequence_keys),
    tuple: Node(lambda x: (x, None), lambda aux, c: tuple(c), _sequence_keys),
    dict: Node(_flatten_dict, lambda keys, c: dict(zip(keys, c, strict=True)), _dict_keys),
    type(None): Node(lambda x: ((), None), lambda aux, c: None, _sequence_keys),
    OrderedDict: Node(
        lambda d: (list(d.values()), tuple(d)), lambda keys, c: OrderedDict(zip(keys, c, strict=True)), _dict_keys
    ),
    defaultdict: Node(
        _flatten_defaultdict,
        lambda aux, c: defaultdict(aux[0], zip(aux[1], c, strict=True)),
        lambda aux, n: _dict_keys(aux[1], n),
    ),
}
_namedtuple = Node(
    lambda x: (x, type(x)),
    lambda cls, c: cls(*c),
    lambda cls, n: [GetAttrKey(f) for f in cls._fields],
)


def _node_of(x: Any) -> Node | None:
    cls = type(x)
    node = _nodes.get(cls)
    if node is None and issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _namedtuple
    return node


class TreeDef:
    """The structure of a pytree without its leaves. Hashable, comparable, printable.

    Example:
        >>> import funcgrad as fg
        >>> print(fg.tree.structure({"b": 1, "a": (2, 3)}))
        PyTreeDef({'a': (*, *), 'b': *})
    """

    __slots__ = ("aux", "children", "kind", "num_leaves")
    num_leaves: int

    def __init__(self, kind: type | None, aux: Any, children: tuple[TreeDef, ...]) -> None:
        self.kind, self.aux, self.children = kind, aux, children
        self.num_leaves = 1 if kind is None else sum(c.num_leaves for c in children)

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with these leaves."""
        it = iter(leaves)
        try:
            tree = self._build(it)
        except StopIteration:
            raise TreeError(f"too few leaves for {self}: it has {self.num_leaves}") from None
        if next(it, it) is not it:
            raise TreeError(f"too many leaves for {self}: it has {self.num_leaves}")
        return tree

    def _build(self, it: Any) -> Any:
        if self.kind is None:
            return next(it)
        node = _nodes.get(self.kind, _namedtuple)
        # a list, not a generator expression, which would turn StopIteration into RuntimeError
        return node.unflatten(self.aux, tuple([c._build(it) for c in self.children]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeDef):
            return NotImplemented
        return self.kind is other.kind and self.aux == other.aux and self.children == other.children

    def __hash__(self) -> int:
        return hash((self.kind, self.children))

    def __repr__(self) -> str:
        return f"PyTreeDef({self._text()})"

    def _text(self) -> str:
        if self.kind is None:
            return "*"
        if self.kind is type(None):
            return "None"
        inner = [c._text() for c in self.children]
        if self.kind is tuple:
            return "(" + ", ".join(inner) + (",)" if len(inner) == 1 else ")")
        if self.kind is list:
            return "[" + ", ".join(inner) + "]"
        keys = _nodes.get(self.kind, _namedtuple).keys(self.aux, len(inner))
        if self.kind is dict:
            return "{" + ", ".join(f"{k.key!r}: {v}" for k, v in zip(keys, inner, strict=True)) + "}"
        return f"{self.kind.__name__}(" + ", ".join(f"{k}={v}" for k, v in zip(keys, inner, strict=True)) + ")"


_LEAF = TreeDef(None, None, ())


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeDef]:
    """Take a pytree apart.

    Arguments:
        tree: any pytree.
        is_leaf: called on each subtree; true stops the walk there.

    Returns:
        The list of leaves and the structure that `unflatten` takes.

    Example:
        >>> import funcgrad as fg
        >>> leaves, structure = fg.tree.flatten({"b": 3, "a": [1, 2]})
        >>> leaves
        [1, 2, 3]
    """
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(x: Any, leaves: list[Any], is_leaf: Callable[[Any], bool] | None) -> TreeDef:
    node = _node_of(x)
    if node is None or (is_leaf is not None and is_leaf(x)):
        leaves.append(x)
        return _LEAF
    children, aux = node.flatten(x)
    return TreeDef(type(x), aux, tuple([_flatten(c, leaves, is_leaf) for c in children]))


def unflatten(treedef: TreeDef, leaves: Iterable[Any]) -> Any:
    """Put a pytree together again from its structure and its leaves."""
    return treedef.unflatten(leaves)


def leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of a pytree, in order."""
    return flatten(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> TreeDef:
    """The structure of a pytree."""
    return flatten(tree, is_leaf)[1]


def _flatten_up_to(treedef: TreeDef, tree: Any, path: tuple = ()) -> list[Any]:
    """The subtrees of `tree` at the places where `treedef` has its leaves."""
    if treedef.kind is None:
        return [tree]
    node = _node_of(tree)
    place = keystr(path) or "the root"
    if node is None or type(tree) is not treedef.kind:
        raise TreeError(
            f"pytrees of different structure: at {place} expected {treedef._text()}, got {type(tree).__name__}"
        )
    children, aux = node.flatten(tree)
    children = list(children)
    if len(children) != len(treedef.children) or aux != treedef.aux:
        raise TreeError(
            f"pytrees of different structure: at {place} expected {treedef._text()}, got {structure(tree)._text()}"
        )
    found: list[Any] = []
    for key, sub, child in zip(node.keys(aux, len(children)), treedef.children, children, strict=True):
        found += _flatten_up_to(sub, child, (*path, key))
    return found


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Apply `f` to each leaf of `tree`, and to the subtrees of `rest` at the same places.

    Raises:
        TreeError: the trees differ in structure; the message names the place.

    Example:
        >>> import funcgrad as fg
        >>> fg.tree.map(lambda p, g: p - 0.1 * g, {"w": 1.0}, {"w": 5.0})
        {'w': 0.5}
    """
    xs, treedef = flatten(tree, is_leaf)
    columns = [xs] + [_flatten_up_to(treedef, r) for r in rest]
    return treedef.unflatten([f(*column) for column in zip(*columns, strict=True)])


_NOTHING = object()


def reduce(f: Callable[[Any, Any], Any], tree: Any, initializer: Any = _NOTHING, is_leaf: Any = None) -> Any:
    """Fold the leaves of a pytree from the left, as `functools.reduce`."""
    import functools

    start = () if initializer is _NOTHING else (initializer,)
    return functools.reduce(f, leaves(tree, is_leaf), *start)


def all(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether every leaf is true."""
    import builtins

    return builtins.all(leaves(tree, is_leaf))


def transpose(outer: TreeDef, inner: TreeDef | None, tree: Any) -> Any:
    """Turn a tree of structure `outer`, each leaf of which is a tree `inner`, inside out.

    Example:
        >>> import funcgrad as fg
        >>> pairs = {"a": (1, 2), "b": (3, 4)}
        >>> fg.tree.transpose(fg.tree.structure({"a": 0, "b": 0}), fg.tree.structure((0, 0)), pairs)
        ({'a': 1, 'b': 3}, {'a': 2, 'b': 4})
    """
    subtrees = _flatten_up_to(outer, tree)
    if inner is None:
        inner = structure(subtrees[0]) if subtrees else _LEAF
    rows = [_flatten_up_to(inner, s) for s in subtrees]
    return inner.unflatten([outer.unflatten(column) for column in zip(*rows, strict=True)])


def flatten_with_path(
    tree: Any, is_leaf: Callable[[Any], bool] | None = None
) -> tuple[list[tuple[tuple, Any]], TreeDef]:
    """As `flatten`, with each leaf preceded by its path: a tuple of DictKey, SequenceKey and GetAttrKey."""
    found: list[tuple[tuple, Any]] = []
    return found, _flatten_with_path(tree, (), found, is_leaf)


def _flatten_with_path(x: Any, path: tuple, found: list[tuple[tuple, Any]], is_leaf: Any) -> TreeDef:
    node = _node_of(x)
    if node is None or (is_leaf is not None and is_leaf(x)):
        found.append((path, x))
        return _LEAF
    children, aux = node.flatten(x)
    children = list(children)
    pairs = zip(node.keys(aux, len(children)), children, strict=True)
    return TreeDef(type(x), aux, tuple([_flatten_with_path(c, (*path, k), found, is_leaf) for k, c in pairs]))


def leaves_with_path(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[tuple, Any]]:
    """The leaves of a pytree, each with its path."""
    return flatten_with_path(tree, is_leaf)[0]


def map_with_path(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: Any = None) -> Any:
    """As `map`, with the path of the leaf as the first argument of `f`.

    Example:
        >>> import funcgrad as fg
        >>> fg.tree.map_with_path(lambda path, x: fg.tree.keystr(path), {"w": [0, 0]})
        {'w': ["['w'][0]", "['w'][1]"]}
    """
    pairs, treedef = flatten_with_path(tree, is_leaf)
    columns = [_flatten_up_to(treedef, r) for r in rest]
    return treedef.unflatten([f(path, x, *others) for (path, x), *others in zip(pairs, *columns, strict=True)])


def keystr(path: tuple, *, simple: bool = False, separator: str = "") -> str:
    """A path as it would be written in Python: `['layers'][0].weight`; with `simple` just the keys: `layers0weight`."""
    return separator.join([str(k._held()) if simple else str(k) for k in path])


def argument_place(path: tuple, numbers: Any = None) -> str:
    """Where a leaf of a tuple of arguments is, for messages: `argument 0 at ['w']`."""
    n = path[0].idx if numbers is None else numbers[path[0].idx]
    return f"argument {n}{f' at {keystr(path[1:])}' if path[1:] else ''}"


def register_pytree_node(
    cls: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_func: Callable[[Any, tuple], Any],
) -> None:
    """Make a class a container for pytrees.

    Arguments:
        cls: the class; each may be registered once.
        flatten_func: takes an instance, gives `(children, aux)`; aux must compare with ==.
        unflatten_func: takes `(aux, children)`, gives an instance.

    Raises:
        ArgumentError: the class is registered already.
    """
    if cls in _nodes:
        raise ArgumentError(f"{cls.__name__} is registered as a pytree already")
    _nodes[cls] = Node(flatten_func, unflatten_func, _sequence_keys)


def register_pytree_node_class(cls: Any) -> Any:
    """Class decorator: register a class with a method `tree_flatten` and a class method `tree_unflatten`."""
    register_pytree_node(cls, lambda x: x.tree_flatten(), cls.tree_unflatten)
    return cls


def register_dataclass(cls: type, data_fields: Iterable[str] | None = None, meta_fields: Iterable[str] = ()) -> type:
    """Make a dataclass a container for pytrees; usable as a class decorator.

    Arguments:
        cls: a dataclass.
        data_fields: names of the fields that are children; by default all that are not in `meta_fields`, nor
            marked with `field(metadata={"static": True})`.
        meta_fields: names of the fields that belong to the structure; they must compare with ==.

    Returns:
        The class.

    Raises:
        ArgumentError: not a dataclass, or a field that it does not have, or one left out.
    """
    if not dataclasses.is_dataclass(cls):
        raise ArgumentError(f"register_dataclass expects a dataclass, got {cls!r}")
    fields = [f for f in dataclasses.fields(cls) if f.init]
    meta = tuple(meta_fields) + tuple(
        f.name for f in fields if f.metadata.get("static") and f.name not in tuple(meta_fields)
    )
    data = tuple(data_fields) if data_fields is not None else tuple(f.name for f in fields if f.name not in meta)
    if set(data) | set(meta) != {f.name for f in fields} or set(data) & set(meta):
        raise ArgumentError(
            f"the data and meta fields of {cls.__name__} must name each of its fields once: "
            f"it has {[f.name for f in fields]}, got data {list(data)} and meta {list(meta)}"
        )
    if cls in _nodes:
        raise ArgumentError(f"{cls.__name__} is registered as a pytree already")
    _nodes[cls] = Node(
        lambda x: ([getattr(x, n) for n in data], tuple(getattr(x, n) for n in meta)),
        lambda aux, c: cls(**dict(zip(data, c, strict=True)), **dict(zip(meta, aux, strict=True))),
        lambda aux, n: [GetAttrKey(name) for name in data],
    )
    return cls
