"""What users of `jax.tree` and `jax.tree_util` find under the same names."""

from collections import deque, namedtuple
from types import MappingProxyType

import pytest

import funcgrad as fg
from funcgrad.errors import TreeError

Point = namedtuple("Point", "a b")
tree = fg.tree


def test_none_is_a_container_without_children():
    assert tree.leaves(None) == [] and tree.leaves([1, None]) == [1]
    assert tree.map(lambda a, b: (a, b), [1, None], [2, None]) == [(1, 2), None]
    assert tree.map(lambda a, b: (a, b), [1, 2], [None, 3]) == [(1, None), (2, 3)]
    assert tree.leaves([1, None], is_leaf=lambda x: x is None) == [1, None]
    assert tree.map(lambda a, b: (a, b), [1, None], [2, 3], is_leaf=lambda x: x is None) == [(1, 2), (None, 3)]
    with pytest.raises(TreeError, match=r"at \[1\] expected None, got int"):
        tree.map(lambda a, b: a, [1, None], [2, 3])


@pytest.mark.parametrize("leaf", ["text", {1}, range(3), deque([1]), MappingProxyType({"a": 1})], ids=repr)
def test_leaves(leaf):
    assert tree.leaves(leaf) == [leaf]


def test_leaves_of_unflatten_may_be_anything():
    assert tree.unflatten(tree.structure([1, 2]), [None, (3,)]) == [None, (3,)]


def test_reduce_with_initializer():
    assert tree.reduce(lambda a, b: a + b, [1, [2]], initializer=10) == 13
    assert tree.reduce(lambda a, b: a + b, [], None) is None
    assert tree.reduce(lambda a, b: a + b, [(1,), (2,)], (), is_leaf=lambda x: isinstance(x, tuple)) == (1, 2)
    with pytest.raises(TypeError):
        tree.reduce(lambda a, b: a + b, [])


def test_paths_in_words():
    paths = [p for p, _ in tree.leaves_with_path({"a": [1, Point(2, 3)], "b": {1: 2}})]
    assert [tree.keystr(p) for p in paths] == ["['a'][0]", "['a'][1].a", "['a'][1].b", "['b'][1]"]
    assert [tree.keystr(p, simple=True, separator="/") for p in paths] == ["a/0", "a/1/a", "a/1/b", "b/1"]
