"""Pytrees: nested containers of arrays. See `funcgrad.core.tree`, which this is the public face of."""

from funcgrad.core.tree import DictKey as DictKey
from funcgrad.core.tree import GetAttrKey as GetAttrKey
from funcgrad.core.tree import SequenceKey as SequenceKey
from funcgrad.core.tree import TreeDef as TreeDef
from funcgrad.core.tree import all as all
from funcgrad.core.tree import flatten as flatten
from funcgrad.core.tree import flatten_with_path as flatten_with_path
from funcgrad.core.tree import keystr as keystr
from funcgrad.core.tree import leaves as leaves
from funcgrad.core.tree import leaves_with_path as leaves_with_path
from funcgrad.core.tree import map as map
from funcgrad.core.tree import map_with_path as map_with_path
from funcgrad.core.tree import reduce as reduce
from funcgrad.core.tree import register_dataclass as register_dataclass
from funcgrad.core.tree import register_pytree_node as register_pytree_node
from funcgrad.core.tree import register_pytree_node_class as register_pytree_node_class
from funcgrad.core.tree import structure as structure
from funcgrad.core.tree import transpose as transpose
from funcgrad.core.tree import unflatten as unflatten
