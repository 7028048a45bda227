"""`funcgrad.tree_util`: the names of `jax.tree_util` for the functions of `funcgrad.tree`."""

import pytest

from funcgrad import tree, tree_util

# What `dir(jax.tree_util)` lists in JAX 0.10.2, but for the registry object, which is not public here.
NAMES = """
    DictKey FlattenedIndexKey GetAttrKey KeyEntry KeyPath Partial PyTreeDef SequenceKey
    all_leaves flatten_one_level flatten_one_level_with_keys is_tree_node keystr
    register_dataclass register_pytree_node register_pytree_node_class register_pytree_with_keys
    register_pytree_with_keys_class register_static
    tree_all tree_broadcast tree_flatten tree_flatten_with_path tree_leaves tree_leaves_with_path tree_map
    tree_map_with_path tree_reduce tree_reduce_associative tree_structure tree_transpose tree_unflatten
    treedef_children treedef_is_leaf treedef_tuple
"""

# What `dir(jax.tree)` lists.
SHORT_NAMES = """
    all broadcast flatten flatten_with_path leaves leaves_with_path map map_with_path reduce reduce_associative
    static structure transpose unflatten
"""


@pytest.mark.parametrize("name", NAMES.split())
def test_names(name):
    assert getattr(tree_util, name) is getattr(tree, name.removeprefix("tree_"))


@pytest.mark.parametrize("name", SHORT_NAMES.split())
def test_short_names(name):
    assert callable(getattr(tree, name))
