"""Pytrees: nested containers of arrays, taken apart into a list of leaves and put together again.

A pytree is a leaf, or a container whose children are pytrees. Names and meaning are those of `jax.tree`
(https://docs.jax.dev/en/latest/pytrees.html): None is a container without children, and dicts are walked in the order
of their sorted keys. The container types are in `tree_registry`, structures in `treedef`, paths in `tree_keys`.

Nothing here recurses: a list that is nested thousands deep is a pytree like any other.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from funcgrad.core.tree_dataclass import register_dataclass as register_dataclass
from funcgrad.core.tree_dataclass import static as static
from funcgrad.core.tree_keys import DictKey as DictKey
from funcgrad.core.tree_keys import FlattenedIndexKey as FlattenedIndexKey
from funcgrad.core.tree_keys import GetAttrKey as GetAttrKey
from funcgrad.core.tree_keys import KeyEntry as KeyEntry
from funcgrad.core.tree_keys import KeyPath as KeyPath
from funcgrad.core.tree_keys import SequenceKey as SequenceKey
from funcgrad.core.tree_keys import argument_place as argument_place
from funcgrad.core.tree_keys import keystr as keystr
from funcgrad.core.tree_registry import is_tree_node as is_tree_node
from funcgrad.core.tree_registry import nodes
from funcgrad.core.tree_registry import register_pytree_node as register_pytree_node
from funcgrad.core.tree_registry import register_pytree_node_class as register_pytree_node_class
from funcgrad.core.tree_registry import register_pytree_with_keys as register_pytree_with_keys
from funcgrad.core.tree_registry import register_pytree_with_keys_class as register_pytree_with_keys_class
from funcgrad.core.tree_registry import register_static as register_static
from funcgrad.core.treedef import LEAF, LEAF_DEF, Entry
from funcgrad.core.treedef import PyTreeDef as PyTreeDef
from funcgrad.core.treedef import treedef_children as treedef_children
from funcgrad.core.treedef import treedef_is_leaf as treedef_is_leaf
from funcgrad.core.treedef import treedef_tuple as treedef_tuple
from funcgrad.errors import ArgumentError, TreeError

_DEEPEST = 10_000


def _too_deep() -> TreeError:
    return TreeError(f"a pytree is nested more than {_DEEPEST} deep; does a container hold itself?")


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], PyTreeDef]:
    """Take a pytree apart.

    Arguments:
        tree: any pytree.
        is_leaf: called on each container; true makes a leaf of it.

    Returns:
        The list of leaves and the structure that `unflatten` takes.

    Raises:
        TreeError: a dict whose keys cannot be sorted; a container that holds itself.

    Example:
        >>> fg.tree.flatten({"b": 3, "a": [1, 2]})
        ([1, 2, 3], PyTreeDef({'a': [*, *], 'b': *}))

    Source: `jax.tree.flatten` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.flatten.html).
    """
    node = nodes[type(tree)]
    if node is None or (is_leaf is not None and is_leaf(tree)):
        return [tree], LEAF_DEF
    children, aux = node.flatten(tree)
    if is_leaf is None and len(children) == 1 and nodes[type(children[0])] is None:  # such as the one argument of many
        return [children[0]], PyTreeDef(((node, aux, 1), LEAF), 1)
    leaves: list[Any] = []
    entries: list[Entry] = [(node, aux, len(children))]
    pending: list[Iterator[Any]] = [iter(children)]  # what is still to come, for each container around the place
    while pending:
        for x in pending[-1]:
            node = nodes[type(x)]
            if node is None or (is_leaf is not None and is_leaf(x)):
                entries.append(LEAF)
                leaves.append(x)
            else:
                children, aux = node.flatten(x)
                entries.append((node, aux, len(children)))
                pending.append(iter(children))
                if len(pending) > _DEEPEST:
                    raise _too_deep()
                break
        else:
            pending.pop()
    return leaves, PyTreeDef(tuple(entries), len(leaves))


def unflatten(treedef: PyTreeDef, leaves: Iterable[Any]) -> Any:
    """Put a pytree together again.

    Arguments:
        treedef: its structure.
        leaves: its leaves, which may be anything.

    Returns:
        The pytree.

    Raises:
        TreeError: too few leaves, or too many.

    Example:
        >>> leaves, treedef = fg.tree.flatten({"b": 3, "a": [1, 2]})
        >>> fg.tree.unflatten(treedef, [10 * x for x in leaves])
        {'a': [10, 20], 'b': 30}

    Source: `jax.tree.unflatten` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.unflatten.html).
    """
    if not isinstance(treedef, PyTreeDef):
        raise ArgumentError(f"tree.unflatten(treedef, leaves) expects a PyTreeDef first, got {type(treedef).__name__}")
    return treedef.unflatten(leaves)


def leaves(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of a pytree, in order.

    Example:
        >>> fg.tree.leaves([1, (2, None), {"b": 4, "a": 3}])
        [1, 2, 3, 4]

    Source: `jax.tree.leaves`.
    """
    return flatten(tree, is_leaf)[0]


def structure(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> PyTreeDef:
    """The structure of a pytree.

    Example:
        >>> fg.tree.structure([1, (2, None), {"b": 4, "a": 3}])
        PyTreeDef([*, (*, None), {'a': *, 'b': *}])

    Source: `jax.tree.structure`.
    """
    return flatten(tree, is_leaf)[1]


def map(f: Callable[..., Any], tree: Any, *rest: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Apply a function to each leaf of a pytree.

    Arguments:
        f: takes a leaf of tree, and the subtree at the same place of each pytree in rest.
        tree: the pytree that gives the structure.
        rest: pytrees of the same structure, or with more below its leaves.
        is_leaf: called on each container of tree; true makes a leaf of it.

    Returns:
        A pytree of the structure of tree with the results.

    Raises:
        TreeError: the pytrees differ in structure; the message names the place.

    Example:
        >>> fg.tree.map(lambda p, g: p - 0.1 * g, {"w": 1.0}, {"w": 5.0})
        {'w': 0.5}

    Source: `jax.tree.map` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.map.html).
    """
    _expect_function(f, "tree.map")
    xs, treedef = flatten(tree, is_leaf)
    if not rest:
        return treedef.unflatten([f(x) for x in xs])
    return treedef.unflatten([f(*column) for column in zip(xs, *_columns(treedef, rest), strict=True)])


def _expect_function(f: Any, name: str) -> None:
    if not callable(f):
        raise ArgumentError(f"{name} expects a function first, got {type(f).__name__}")


def _columns(treedef: PyTreeDef, rest: tuple) -> list[list[Any]]:
    """The subtrees of each pytree in rest at the leaves of treedef."""
    columns = []
    for number, r in enumerate(rest, 2):
        try:
            columns.append(treedef.flatten_up_to(r))
        except TreeError as e:
            raise (TreeError(f"pytree {number} of {len(rest) + 1}: {e}") if len(rest) > 1 else e) from None
    return columns


def broadcast(prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> Any:
    """Repeat the leaves of a pytree until it has the structure of another, of which it is a prefix.

    Arguments:
        prefix_tree: like full_tree, but with leaves in place of some of its subtrees.
        full_tree: the pytree that gives the structure.
        is_leaf: called on each container of prefix_tree; true makes a leaf of it.

    Returns:
        A pytree of the structure of full_tree: at each leaf, the leaf of prefix_tree at or above it.

    Raises:
        TreeError: prefix_tree is no prefix of full_tree; the message names the place.

    Example:
        >>> fg.tree.broadcast({"w": 0.1, "b": 0.5}, {"w": [1, 2], "b": 3})
        {'b': 0.5, 'w': [0.1, 0.1]}

    Source: `jax.tree.broadcast` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.broadcast.html).
    """
    return structure(full_tree).unflatten(broadcast_prefix(prefix_tree, full_tree, is_leaf))


def broadcast_prefix(prefix_tree: Any, full_tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    """The leaves of `broadcast`: one for each leaf of full_tree."""
    xs, treedef = flatten(prefix_tree, is_leaf)
    found: list[Any] = []
    for x, subtree in zip(xs, treedef.flatten_up_to(full_tree), strict=True):
        found += [x] * len(leaves(subtree))
    return found


_NOTHING: Any = object()


def reduce(
    function: Callable[[Any, Any], Any],
    tree: Any,
    initializer: Any = _NOTHING,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Fold the leaves of a pytree from the left, as `functools.reduce`.

    Example:
        >>> fg.tree.reduce(lambda total, x: total + x, {"a": 1, "b": [2, 3]})
        6

    Source: `jax.tree.reduce` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.reduce.html).
    """
    _expect_function(function, "tree.reduce")
    start = () if initializer is _NOTHING else (initializer,)
    return functools.reduce(function, leaves(tree, is_leaf), *start)


def reduce_associative(
    operation: Callable[[Any, Any], Any],
    tree: Any,
    *,
    identity: Any = _NOTHING,
    is_leaf: Callable[[Any], bool] | None = None,
) -> Any:
    """Fold the leaves of a pytree by halves: the operations form a tree of logarithmic depth.

    Arguments:
        operation: an associative function of two leaves.
        tree: the pytree.
        identity: the result for a pytree without leaves; used for nothing else.
        is_leaf: called on each container of tree; true makes a leaf of it.

    Returns:
        The result.

    Raises:
        ArgumentError: a pytree without leaves, and no identity.

    Example:
        >>> fg.tree.reduce_associative(lambda a, b: f"({a}{b})", ["a", ("b", "c"), "d"])
        '((ab)(cd))'

    Source: `jax.tree.reduce_associative` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.reduce_associative.html).
    """
    _expect_function(operation, "tree.reduce_associative")
    values = leaves(tree, is_leaf)
    if not values and identity is _NOTHING:
        raise ArgumentError("tree.reduce_associative of a pytree without leaves needs an identity")

    return _fold_by_halves(operation, values) if values else identity


def _fold_by_halves(operation: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return operation(_fold_by_halves(operation, values[:middle]), _fold_by_halves(operation, values[middle:]))


def all(tree: Any, *, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether every leaf is true.

    Example:
        >>> fg.tree.all({"a": True, "b": [True, False]})
        False

    Source: `jax.tree.all`.
    """
    return builtins.all(leaves(tree, is_leaf))


def transpose(outer_treedef: PyTreeDef, inner_treedef: PyTreeDef | None, pytree_to_transpose: Any) -> Any:
    """Turn a pytree of pytrees inside out.

    Arguments:
        outer_treedef: the outer structure.
        inner_treedef: the structure of each of its leaves; by default that of the first.
        pytree_to_transpose: a pytree of the outer structure, each leaf of which is a pytree of the inner one.

    Returns:
        A pytree of the inner structure, each leaf of which is a pytree of the outer one.

    Raises:
        ArgumentError: the pytree is of another structure, or has no leaves to find the inner structure from.

    Example:
        >>> pairs = {"a": (1, 2), "b": (3, 4)}
        >>> fg.tree.transpose(fg.tree.structure({"a": 0, "b": 0}), fg.tree.structure((0, 0)), pairs)
        ({'a': 1, 'b': 3}, {'a': 2, 'b': 4})

    Source: `jax.tree.transpose` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.transpose.html).
    """
    flat, treedef = flatten(pytree_to_transpose)
    if inner_treedef is None:
        subtrees = outer_treedef.flatten_up_to(pytree_to_transpose)
        if not subtrees:
            raise ArgumentError("tree.transpose of a pytree without leaves needs the inner structure")
        inner_treedef = structure(subtrees[0])
    expected = outer_treedef.compose(inner_treedef)
    # The static data of a registered class may depend on its children; then it decides what the class makes of them.
    if len(flat) != expected.num_leaves or (treedef != expected and treedef != structure(expected.unflatten(flat))):
        raise ArgumentError(f"Mismatch: tree.transpose expects a pytree of structure {expected}, got {treedef}")
    n = inner_treedef.num_leaves
    return inner_treedef.unflatten([outer_treedef.unflatten(flat[i::n]) for i in range(n)])


def flatten_with_path(
    tree: Any, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> tuple[list[tuple[KeyPath, Any]], PyTreeDef]:
    """Take a pytree apart, and say where each leaf was.

    Arguments:
        tree: any pytree.
        is_leaf: called on each container; true makes a leaf of it.
        is_leaf_takes_path: whether is_leaf is called with the path as well: `is_leaf(path, x)`.

    Returns:
        The list of pairs `(path, leaf)`, and the structure.

    Raises:
        TreeError: a dict whose keys cannot be sorted; a container that holds itself.

    Example:
        >>> fg.tree.flatten_with_path([1, {"x": 3}])[0]
        [((SequenceKey(idx=0),), 1), ((SequenceKey(idx=1), DictKey(key='x')), 3)]

    Source: `jax.tree.flatten_with_path` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.flatten_with_path.html).
    """
    node = nodes[type(tree)]
    if node is None or (is_leaf is not None and (is_leaf((), tree) if is_leaf_takes_path else is_leaf(tree))):
        return [((), tree)], LEAF_DEF
    pairs, aux = node.flatten_with_keys(tree)
    found: list[tuple[KeyPath, Any]] = []
    entries: list[Entry] = [(node, aux, len(pairs))]
    pending: list[Iterator[tuple[KeyEntry, Any]]] = [iter(pairs)]
    keys: list[KeyEntry] = []  # of the containers around the place, but for the root
    while pending:
        for key, x in pending[-1]:
            node = nodes[type(x)]
            if node is None or (
                is_leaf is not None and (is_leaf((*keys, key), x) if is_leaf_takes_path else is_leaf(x))
            ):
                entries.append(LEAF)
                found.append(((*keys, key), x))
            else:
                pairs, aux = node.flatten_with_keys(x)
                entries.append((node, aux, len(pairs)))
                pending.append(iter(pairs))
                keys.append(key)
                if len(pending) > _DEEPEST:
                    raise _too_deep()
                break
        else:
            pending.pop()
            if keys:
                keys.pop()
    return found, PyTreeDef(tuple(entries), len(found))


def leaves_with_path(
    tree: Any, is_leaf: Callable[..., bool] | None = None, is_leaf_takes_path: bool = False
) -> list[tuple[KeyPath, Any]]:
    """The leaves of a pytree, each with its path: the first result of `flatten_with_path`.

    Source: `jax.tree.leaves_with_path`.
    """
    return flatten_with_path(tree, is_leaf, is_leaf_takes_path)[0]


def map_with_path(
    f: Callable[..., Any],
    tree: Any,
    *rest: Any,
    is_leaf: Callable[..., bool] | None = None,
    is_leaf_takes_path: bool = False,
) -> Any:
    """As `map`, with the path of the leaf as the first argument of the function.

    Example:
        >>> fg.tree.map_with_path(lambda path, x: fg.tree.keystr(path), {"w": [0, 0]})
        {'w': ["['w'][0]", "['w'][1]"]}

    Source: `jax.tree.map_with_path` (https://docs.jax.dev/en/latest/_autosummary/jax.tree.map_with_path.html).
    """
    _expect_function(f, "tree.map_with_path")
    pairs, treedef = flatten_with_path(tree, is_leaf, is_leaf_takes_path)
    columns = _columns(treedef, rest)
    return treedef.unflatten([f(path, x, *others) for (path, x), *others in zip(pairs, *columns, strict=True)])


def all_leaves(iterable: Iterable[Any], is_leaf: Callable[[Any], bool] | None = None) -> bool:
    """Whether every element of an iterable is a leaf, and no container.

    Example:
        >>> fg.tree.all_leaves([1, 2]), fg.tree.all_leaves([1, (2,)]), fg.tree.all_leaves([1, None])
        (True, False, False)

    Source: `jax.tree_util.all_leaves`.
    """
    return builtins.all(nodes[type(x)] is None or (is_leaf is not None and is_leaf(x)) for x in iterable)


def flatten_one_level(tree: Any) -> tuple[Iterable[Any], Any]:
    """The children of a container, and its static data.

    Raises:
        TreeError: a leaf.

    Example:
        >>> fg.tree.flatten_one_level({"b": (1, 2), "a": 3})
        ([3, (1, 2)], ('a', 'b'))

    Source: `jax.tree_util.flatten_one_level`.
    """
    return _container_node(tree).flatten(tree)


def flatten_one_level_with_keys(tree: Any) -> tuple[Iterable[tuple[KeyEntry, Any]], Any]:
    """The children of a container, each with its key, and its static data.

    Raises:
        TreeError: a leaf.

    Example:
        >>> fg.tree.flatten_one_level_with_keys({"b": (1, 2), "a": 3})
        ([(DictKey(key='a'), 3), (DictKey(key='b'), (1, 2))], ('a', 'b'))

    Source: `jax.tree_util.flatten_one_level_with_keys`.
    """
    return _container_node(tree).flatten_with_keys(tree)


def _container_node(tree: Any) -> Any:
    node = nodes[type(tree)]
    if node is None:
        raise TreeError(f"can't tree-flatten type: {type(tree)}, which is a leaf; register its class as a pytree")
    return node
