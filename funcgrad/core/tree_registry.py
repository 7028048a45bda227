"""The container types of pytrees: how each is taken apart into children and put together again.

dict, list, tuple, namedtuple, OrderedDict, defaultdict and None are known from the start; other classes join by
registration. What is of none of these types is a leaf, instances of subclasses of dict, list and tuple included.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from funcgrad.core.tree_keys import DictKey, FlattenedIndexKey, GetAttrKey, KeyEntry, index_keys
from funcgrad.errors import ArgumentError, TreeError

Cls = TypeVar("Cls", bound=type)


class Node:
    """How the instances of one type are taken apart: into children, and static data that belongs to the structure.

    `flatten(x)` gives `(children, aux)`, the children as a list or tuple; `flatten_with_keys(x)` gives the same with
    `(key, child)` in place of each child; `unflatten(aux, children)` takes a tuple and gives an instance.
    """

    __slots__ = ("flatten", "flatten_with_keys", "type", "unflatten")

    def __init__(
        self,
        cls: type,
        flatten: Callable[[Any], tuple[Sequence[Any], Any]],
        unflatten: Callable[[Any, tuple], Any],
        flatten_with_keys: Callable[[Any], tuple[Sequence[tuple[KeyEntry, Any]], Any]],
    ) -> None:
        self.type, self.flatten, self.unflatten, self.flatten_with_keys = cls, flatten, unflatten, flatten_with_keys


def _namedtuple_node(cls: Any) -> Node:
    return Node(
        cls,
        lambda x: (list(x), cls),
        lambda _, children: cls(*children),
        lambda x: ([(GetAttrKey(name), c) for name, c in zip(cls._fields, x, strict=True)], cls),
    )


def _sorted_keys(d: dict) -> tuple:
    try:
        return tuple(sorted(d))
    except TypeError as e:
        raise TreeError(
            f"the keys of a dict in a pytree must be sortable, but {list(d)!r} are not: {e}. Use keys of one type, or "
            f"an OrderedDict, whose keys keep their order"
        ) from None


def _flatten_dict(d: dict) -> tuple:
    keys = _sorted_keys(d)
    return [d[k] for k in keys], keys


def _flatten_defaultdict(d: defaultdict) -> tuple:
    keys = _sorted_keys(d)
    return [d[k] for k in keys], (d.default_factory, keys)


# Made by definitions when modules are imported, read-only in use.
_registered: dict[type, Node] = {
    node.type: node
    for node in [
        Node(list, lambda x: (x, None), lambda _, c: list(c), lambda x: (index_keys(x), None)),
        Node(tuple, lambda x: (x, None), lambda _, c: c, lambda x: (index_keys(x), None)),
        Node(type(None), lambda _: ((), None), lambda _, c: None, lambda _: ((), None)),
        Node(
            dict,
            _flatten_dict,
            lambda keys, c: dict(zip(keys, c, strict=True)),
            lambda d: ([(DictKey(k), d[k]) for k in _sorted_keys(d)], _sorted_keys(d)),
        ),
        Node(
            OrderedDict,
            lambda d: (list(d.values()), tuple(d)),
            lambda keys, c: OrderedDict(zip(keys, c, strict=True)),
            lambda d: ([(DictKey(k), c) for k, c in d.items()], tuple(d)),
        ),
        Node(
            defaultdict,
            _flatten_defaultdict,
            lambda aux, c: defaultdict(aux[0], zip(aux[1], c, strict=True)),
            lambda d: ([(DictKey(k), d[k]) for k in _sorted_keys(d)], (d.default_factory, _sorted_keys(d))),
        ),
    ]
}


class _Nodes(dict[type, Node | None]):
    """The node of every type met so far, None for types of leaves, so that a value of a pytree costs one lookup."""

    def __missing__(self, cls: type) -> Node | None:
        node = _registered.get(cls)
        if node is None and issubclass(cls, tuple) and hasattr(cls, "_fields"):
            node = _namedtuple_node(cls)
        self[cls] = node
        return node


nodes = _Nodes()


def is_tree_node(typ: type) -> bool:
    """Whether the instances of a type are containers, and not leaves.

    Example:
        >>> fg.tree.is_tree_node(dict), fg.tree.is_tree_node(fg.Array)
        (True, False)
    """
    return isinstance(typ, type) and nodes[typ] is not None


def is_namedtuple(cls: type) -> bool:
    """Whether the instances of a class are containers because it is a namedtuple that nobody has registered."""
    return nodes[cls] is not None and cls not in _registered


def _checked(function: Any, cls: type, name: str, first: str) -> Callable[[Any], tuple[Sequence[Any], Any]]:
    """A flatten function of a user, which must give a tuple of two, of which the first is iterable."""
    if not callable(function):
        raise ArgumentError(f"registering a pytree: {name} must be a function, got {function!r}")

    def flatten(x: Any) -> tuple[Sequence[Any], Any]:
        out = function(x)
        if not isinstance(out, tuple) or len(out) != 2:
            raise TreeError(f"{name} of {cls.__name__} must return a tuple ({first}, aux_data), got {out!r}")
        children, aux = out
        try:
            return children if isinstance(children, (list, tuple)) else tuple(children), aux
        except TypeError:
            raise TreeError(
                f"{name} of {cls.__name__} must return a tuple ({first}, aux_data) with iterable {first}, got {out!r}"
            ) from None

    return flatten


def _checked_with_keys(function: Any, cls: type) -> Callable[[Any], tuple[Sequence[tuple[KeyEntry, Any]], Any]]:
    """The same, of which the first must hold pairs."""
    flatten = _checked(function, cls, "flatten_with_keys", "key_child_pairs")

    def flatten_with_keys(x: Any) -> tuple[Sequence[tuple[KeyEntry, Any]], Any]:
        pairs, aux = flatten(x)
        for p in pairs:
            if not isinstance(p, tuple) or len(p) != 2:
                raise TreeError(
                    f"flatten_with_keys of {cls.__name__} must give a tuple (key, child) for each child, got {p!r}"
                )
        return pairs, aux

    return flatten_with_keys


def _numbered(flatten: Callable[[Any], tuple[Sequence[Any], Any]]) -> Callable[[Any], tuple[list, Any]]:
    """A flatten function with keys from one without: the children are called by their number."""

    def flatten_with_keys(x: Any) -> tuple[list[tuple[KeyEntry, Any]], Any]:
        children, aux = flatten(x)
        return [(FlattenedIndexKey(i), c) for i, c in enumerate(children)], aux

    return flatten_with_keys


def add(node: Node) -> None:
    """Enter a node into the registry.

    Raises:
        TreeError: its class is there already.
        ArgumentError: its class is no class.
    """
    cls = node.type
    if not isinstance(cls, type):
        raise ArgumentError(f"registering a pytree: expected a class, got {cls!r} of type {type(cls).__name__}")
    if cls in _registered:
        raise TreeError(f"{cls.__module__}.{cls.__qualname__} is registered as a pytree already")
    _registered[cls] = nodes[cls] = node


def register_pytree_node(
    nodetype: type,
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]],
    unflatten_func: Callable[[Any, tuple], Any],
    flatten_with_keys_func: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Any]], Any]] | None = None,
) -> None:
    """Make a class a container of pytrees.

    Arguments:
        nodetype: the class; each may be registered once. Its subclasses are not registered with it.
        flatten_func: takes an instance, gives `(children, aux_data)`: the children are pytrees, aux_data belongs to the
            structure and must compare with == and hash.
        unflatten_func: takes `(aux_data, children)`, gives an instance. The children may be anything, not only arrays.
        flatten_with_keys_func: as flatten_func, with `(key, child)` in place of each child. Without it paths call the
            children by their number.

    Raises:
        TreeError: the class is registered already.
        ArgumentError: something that is no class, or a function that cannot be called.

    Example:
        >>> class Interval:
        ...     def __init__(self, low, high):
        ...         self.low, self.high = low, high
        >>> fg.tree.register_pytree_node(Interval, lambda i: ((i.low, i.high), None), lambda _, c: Interval(*c))
        >>> gradient = fg.grad(lambda i: i.high ** 2 - i.low)(Interval(1.0, 3.0))
        >>> gradient.low, gradient.high
        (Array(-1., dtype=float64), Array(6., dtype=float64))

    Source: `jax.tree_util.register_pytree_node` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    flatten = _checked(flatten_func, nodetype, "flatten_func", "children")
    with_keys = (
        _numbered(flatten) if flatten_with_keys_func is None else _checked_with_keys(flatten_with_keys_func, nodetype)
    )
    if not callable(unflatten_func):
        raise ArgumentError(f"registering a pytree: unflatten_func must be a function, got {unflatten_func!r}")
    add(Node(nodetype, flatten, unflatten_func, with_keys))


def register_pytree_with_keys(
    nodetype: type,
    flatten_with_keys: Callable[[Any], tuple[Iterable[tuple[KeyEntry, Any]], Any]],
    unflatten_func: Callable[[Any, tuple], Any],
    flatten_func: Callable[[Any], tuple[Iterable[Any], Any]] | None = None,
) -> None:
    """Make a class a container of pytrees whose children have names in paths.

    Arguments:
        nodetype: the class.
        flatten_with_keys: takes an instance, gives `(key_child_pairs, aux_data)`. A key is a GetAttrKey, DictKey or
            SequenceKey, or anything else that prints as it shall stand in a path.
        unflatten_func: takes `(aux_data, children)`, gives an instance.
        flatten_func: gives `(children, aux_data)`, for when nobody asks for the keys; to be given where that is faster.

    Raises:
        TreeError, ArgumentError: as register_pytree_node.

    Source: `jax.tree_util.register_pytree_with_keys` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """

    pairs_of = _checked_with_keys(flatten_with_keys, nodetype)

    def without_keys(x: Any) -> tuple[list[Any], Any]:
        pairs, aux = pairs_of(x)
        return [c for _, c in pairs], aux

    register_pytree_node(nodetype, flatten_func or without_keys, unflatten_func, flatten_with_keys)


def _method(cls: Any, name: str, decorator: str) -> Callable[..., Any]:
    if not callable(getattr(cls, name, None)):
        raise ArgumentError(f"{decorator} expects a class with a method {name}, but {cls!r} has none")
    return getattr(cls, name)


def register_pytree_node_class(cls: Cls) -> Cls:
    """Class decorator: register a class with a method `tree_flatten` and a class method `tree_unflatten`.

    Arguments:
        cls: the class. `tree_flatten()` gives `(children, aux_data)`, `tree_unflatten(aux_data, children)` an instance.

    Returns:
        The class.

    Raises:
        ArgumentError: it has no such methods.
        TreeError: it is registered already.

    Source: `jax.tree_util.register_pytree_node_class` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    name = "register_pytree_node_class"
    register_pytree_node(cls, _method(cls, "tree_flatten", name), _method(cls, "tree_unflatten", name))
    return cls


def register_pytree_with_keys_class(cls: Cls) -> Cls:
    """Class decorator: register a class with a method `tree_flatten_with_keys` and a class method `tree_unflatten`.

    Arguments:
        cls: the class. `tree_flatten_with_keys()` gives `(key_child_pairs, aux_data)`; a method `tree_flatten` without
            the keys is used if there is one.

    Returns:
        The class.

    Raises:
        ArgumentError: it has no such methods.
        TreeError: it is registered already.

    Example:
        >>> @fg.tree.register_pytree_with_keys_class
        ... class Mass:
        ...     def __init__(self, kg):
        ...         self.kg = kg
        ...     def tree_flatten_with_keys(self):
        ...         return ((fg.tree.GetAttrKey("kg"), self.kg),), None
        ...     @classmethod
        ...     def tree_unflatten(cls, aux_data, children):
        ...         return cls(*children)
        >>> [fg.tree.keystr(path) for path, _ in fg.tree.leaves_with_path([Mass(70.0)])]
        ['[0].kg']

    Source: `jax.tree_util.register_pytree_with_keys_class` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    name = "register_pytree_with_keys_class"
    register_pytree_with_keys(
        cls,
        _method(cls, "tree_flatten_with_keys", name),
        _method(cls, "tree_unflatten", name),
        getattr(cls, "tree_flatten", None),
    )
    return cls


def register_static(cls: Cls) -> Cls:
    """Make a class a container without children, whose instances belong to the structure; usable as a decorator.

    So a value that is no array, a name or a setting, can be handed through every transform.

    Arguments:
        cls: the class; its instances must compare with == and hash.

    Returns:
        The class.

    Raises:
        TreeError: it is registered already.
        ArgumentError: it is no class.

    Example:
        >>> @fg.tree.register_static
        ... class Name(str):
        ...     pass
        >>> fg.grad(lambda p: p["x"] ** 2 if p["kind"] == "square" else p["x"])({"x": 3.0, "kind": Name("square")})
        {'kind': 'square', 'x': Array(6., dtype=float64)}

    Source: `jax.tree_util.register_static` (https://docs.jax.dev/en/latest/jax.tree_util.html).
    """
    add(Node(cls, lambda x: ((), x), lambda x, _: x, lambda x: ((), x)))
    return cls
