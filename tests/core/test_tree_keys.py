import pickle
from collections import OrderedDict, namedtuple

import pytest

import funcgrad as fg

tree = fg.tree
Point = namedtuple("Point", "a b")

KEYS = [
    (tree.DictKey("w"), "['w']", "w", "DictKey(key='w')"),
    (tree.SequenceKey(0), "[0]", "0", "SequenceKey(idx=0)"),
    (tree.GetAttrKey("x"), ".x", "x", "GetAttrKey(name='x')"),
    (tree.FlattenedIndexKey(2), "[<flat index 2>]", "2", "FlattenedIndexKey(key=2)"),
]


@pytest.mark.parametrize("key, text, simple, representation", KEYS, ids=str)
def test_keys(key, text, simple, representation):
    assert str(key) == text and repr(key) == representation
    assert tree.keystr((key,)) == text and tree.keystr((key,), simple=True) == simple
    again = pickle.loads(pickle.dumps(key))
    assert again == key and hash(again) == hash(key) and not again != key


def test_keys_of_different_kinds_differ():
    kinds = [tree.DictKey(0), tree.SequenceKey(0), tree.GetAttrKey(0), tree.FlattenedIndexKey(0), 0]
    assert [[a == b for a in kinds] for b in kinds] == [[i == j for i in range(5)] for j in range(5)]
    assert tree.DictKey(key="a") == tree.DictKey("a") and tree.SequenceKey(idx=1) != tree.SequenceKey(2)


def test_keystr():
    path = tuple(key for key, *_ in KEYS)
    assert tree.keystr(path) == "['w'][0].x[<flat index 2>]"
    assert tree.keystr(path, separator="/") == "['w']/[0]/.x/[<flat index 2>]"
    assert tree.keystr(path, simple=True) == "w0x2"
    assert tree.keystr(path, simple=True, separator="/") == "w/0/x/2"
    assert tree.keystr(()) == "" and tree.keystr(("own", 1), simple=True, separator=".") == "own.1"


def test_paths_of_the_containers():
    x = {"a": [1, Point(2, 3)], "b": {1: 2}, "c": OrderedDict(z=3), "d": None, "e": ((4,),)}
    assert [tree.keystr(p) for p, _ in tree.leaves_with_path(x)] == [
        "['a'][0]",
        "['a'][1].a",
        "['a'][1].b",
        "['b'][1]",
        "['c']['z']",
        "['e'][0][0]",
    ]
    assert tree.leaves_with_path(5) == [((), 5)]


def test_keys_can_be_used_to_compute():
    assert tree.map_with_path(lambda path, x, y: path[0].idx + x + y, [1, 2], [10, 20]) == [11, 23]
