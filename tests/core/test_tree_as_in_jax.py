"""Where pytrees could be taken differently, they are as in JAX. The values were recorded from JAX 0.10.2."""

from collections import deque
from types import MappingProxyType

import pytest

import funcgrad as fg
from funcgrad.errors import TreeError

tree = fg.tree


def is_none(x):
    return x is None


@pytest.mark.parametrize("leaf", ["text", {1}, range(3), deque([1]), MappingProxyType({"a": 1}), slice(2)], ids=repr)
def test_leaves(leaf):
    assert tree.leaves(leaf) == [leaf]


@pytest.mark.parametrize(
    "first, other, is_leaf, mapped",
    [
        ([1, None], [2, None], None, [(1, 2), None]),
        ([1, 2], [None, 3], None, [(1, None), (2, 3)]),
        ([1, None], [2, 3], is_none, [(1, 2), (None, 3)]),
        ([1, None], [2, None], is_none, [(1, 2), (None, None)]),
        ([None], [[1]], is_none, [(None, [1])]),
        ([None], [{"a": None}], is_none, [(None, {"a": None})]),
        (None, None, None, None),
    ],
)
def test_none_in_map(first, other, is_leaf, mapped):
    assert tree.map(lambda a, b: (a, b), first, other, is_leaf=is_leaf) == mapped


@pytest.mark.parametrize("first, other", [([1, None], [2, 3]), (None, 3), ([None], [()]), ([()], [None])])
def test_none_is_not_a_prefix_of_anything_else(first, other):
    with pytest.raises(TreeError):
        tree.map(lambda a, b: a, first, other)
    with pytest.raises(TreeError):
        tree.broadcast(first, other)


def test_none_in_broadcast():
    assert tree.broadcast((None, 2), (None, 3), is_leaf=is_none) == (None, 2)
    assert tree.broadcast((1, 2), (None, 3), is_leaf=is_none) == (None, 2)


def test_none_in_all_and_reduce():
    assert tree.all([True, None]) is True
    assert tree.reduce(lambda a, b: a + b, [None, 1, [None, 2]]) == 3


def test_order_of_operations_in_reduce_associative():
    assert tree.reduce_associative(lambda a, b: f"({a}{b})", list("abcdefg")) == "((a(bc))((de)(fg)))"


def test_numbers_that_compare_sort_together():
    assert tree.leaves({1: "int", 2.5: "float", 0: "zero"}) == ["zero", "int", "float"]


@tree.register_pytree_node_class
class Flat:
    """Keeps a pytree as its leaves and structure, so what is static data depends on what the children are."""

    def __init__(self, leaves, structure):
        self.leaves, self.structure = leaves, structure

    @classmethod
    def of(cls, x):
        return cls(*tree.flatten(x))

    def tree_flatten(self):
        return self.leaves, self.structure

    @classmethod
    def tree_unflatten(cls, structure, leaves):
        return cls(leaves, structure) if tree.all_leaves(leaves) else cls.of(structure.unflatten(leaves))

    def __eq__(self, other):
        return self.structure.unflatten(self.leaves) == other.structure.unflatten(other.leaves)


def test_transpose_of_a_class_whose_static_data_depends_on_its_children():
    outer, inner = tree.structure(Flat.of({"a": 1, "b": 2})), tree.structure([0, 0])
    transposed = tree.transpose(outer, inner, Flat.of({"a": [3, 4], "b": [5, 6]}))
    assert transposed == [Flat.of({"a": 3, "b": 5}), Flat.of({"a": 4, "b": 6})]
