"""Pytrees: nested containers of arrays. See `funcgrad.core.tree`, which this is the public face of."""

from funcgrad.core.faces import publish
from funcgrad.core.partial import Partial as Partial
from funcgrad.core.tree import DictKey as DictKey
from funcgrad.core.tree import FlattenedIndexKey as FlattenedIndexKey
from funcgrad.core.tree import GetAttrKey as GetAttrKey
from funcgrad.core.tree import KeyEntry as KeyEntry
from funcgrad.core.tree import KeyPath as KeyPath
from funcgrad.core.tree import PyTreeDef as PyTreeDef
from funcgrad.core.tree import SequenceKey as SequenceKey
from funcgrad.core.tree import all as all
from funcgrad.core.tree import all_leaves as all_leaves
from funcgrad.core.tree import broadcast as broadcast
from funcgrad.core.tree import flatten as flatten
from funcgrad.core.tree import flatten_one_level as flatten_one_level
from funcgrad.core.tree import flatten_one_level_with_keys as flatten_one_level_with_keys
from funcgrad.core.tree import flatten_with_path as flatten_with_path
from funcgrad.core.tree import is_tree_node as is_tree_node
from funcgrad.core.tree import keystr as keystr
from funcgrad.core.tree import leaves as leaves
from funcgrad.core.tree import leaves_with_path as leaves_with_path
from funcgrad.core.tree import map as map
from funcgrad.core.tree import map_with_path as map_with_path
from funcgrad.core.tree import reduce as reduce
from funcgrad.core.tree import reduce_associative as reduce_associative
from funcgrad.core.tree import register_dataclass as register_dataclass
from funcgrad.core.tree import register_pytree_node as register_pytree_node
from funcgrad.core.tree import register_pytree_node_class as register_pytree_node_class
from funcgrad.core.tree import register_pytree_with_keys as register_pytree_with_keys
from funcgrad.core.tree import register_pytree_with_keys_class as register_pytree_with_keys_class
from funcgrad.core.tree import register_static as register_static
from funcgrad.core.tree import static as static
from funcgrad.core.tree import structure as structure
from funcgrad.core.tree import transpose as transpose
from funcgrad.core.tree import treedef_children as treedef_children
from funcgrad.core.tree import treedef_is_leaf as treedef_is_leaf
from funcgrad.core.tree import treedef_tuple as treedef_tuple
from funcgrad.core.tree import unflatten as unflatten

publish(__name__)
