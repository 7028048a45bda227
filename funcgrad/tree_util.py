"""Pytrees under the names of `jax.tree_util`: the functions of `funcgrad.tree`, with `tree_` before the short names."""

from funcgrad.core import tree
from funcgrad.core.faces import publish
from funcgrad.core.partial import Partial as Partial
from funcgrad.core.tree import DictKey as DictKey
from funcgrad.core.tree import FlattenedIndexKey as FlattenedIndexKey
from funcgrad.core.tree import GetAttrKey as GetAttrKey
from funcgrad.core.tree import KeyEntry as KeyEntry
from funcgrad.core.tree import KeyPath as KeyPath
from funcgrad.core.tree import PyTreeDef as PyTreeDef
from funcgrad.core.tree import SequenceKey as SequenceKey
from funcgrad.core.tree import all_leaves as all_leaves
from funcgrad.core.tree import flatten_one_level as flatten_one_level
from funcgrad.core.tree import flatten_one_level_with_keys as flatten_one_level_with_keys
from funcgrad.core.tree import is_tree_node as is_tree_node
from funcgrad.core.tree import keystr as keystr
from funcgrad.core.tree import register_dataclass as register_dataclass
from funcgrad.core.tree import register_pytree_node as register_pytree_node
from funcgrad.core.tree import register_pytree_node_class as register_pytree_node_class
from funcgrad.core.tree import register_pytree_with_keys as register_pytree_with_keys
from funcgrad.core.tree import register_pytree_with_keys_class as register_pytree_with_keys_class
from funcgrad.core.tree import register_static as register_static
from funcgrad.core.tree import treedef_children as treedef_children
from funcgrad.core.tree import treedef_is_leaf as treedef_is_leaf
from funcgrad.core.tree import treedef_tuple as treedef_tuple

tree_all = tree.all
tree_broadcast = tree.broadcast
tree_flatten = tree.flatten
tree_flatten_with_path = tree.flatten_with_path
tree_leaves = tree.leaves
tree_leaves_with_path = tree.leaves_with_path
tree_map = tree.map
tree_map_with_path = tree.map_with_path
tree_reduce = tree.reduce
tree_reduce_associative = tree.reduce_associative
tree_structure = tree.structure
tree_transpose = tree.transpose
tree_unflatten = tree.unflatten

publish(__name__)
