import copy
import pickle
from collections import OrderedDict, defaultdict, namedtuple

import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, TreeError

tree = fg.tree
s = fg.tree.structure
Point = namedtuple("Point", "x y")

STRUCTURES = [
    s(x)
    for x in [
        1,
        None,
        (),
        [1, (2, 3)],
        {"b": 1, "a": (None, [2])},
        OrderedDict(b=1, a={}),
        defaultdict(int, a=1),
        Point([1], 2),
    ]
]


@pytest.mark.parametrize("i", range(len(STRUCTURES)), ids=lambda i: str(STRUCTURES[i]))
def test_equality(i):
    assert [STRUCTURES[i] == other for other in STRUCTURES] == [i == j for j in range(len(STRUCTURES))]
    assert [STRUCTURES[i] != other for other in STRUCTURES] == [i != j for j in range(len(STRUCTURES))]
    assert STRUCTURES[i] != "PyTreeDef"


def test_structure_distinguishes():
    assert s([1, 2]) != s((1, 2)) and s(Point(1, 2)) != s((1, 2)) and s({"a": 1}) != s(OrderedDict(a=1))
    assert s({"a": 1}) != s({"b": 1}) and s(OrderedDict(a=1, b=2)) != s(OrderedDict(b=2, a=1))
    assert s(defaultdict(int, a=1)) != s(defaultdict(list, a=1))
    assert s([[1], 2]) != s([1, [2]]) and s(Point(1, 2)) != s(namedtuple("Point", "x y")(1, 2))
    assert len({s([1]), s([2]), s([None])}) == 2


@pytest.mark.parametrize("structure", STRUCTURES, ids=str)
def test_pickle_and_copy(structure):
    for again in (pickle.loads(pickle.dumps(structure)), copy.deepcopy(structure)):
        assert again == structure and hash(again) == hash(structure)
        leaves = list(range(structure.num_leaves))
        assert again.unflatten(leaves) == structure.unflatten(leaves)


@pytest.mark.parametrize(
    "x, leaves, nodes, data, children",
    [
        (1, 1, 1, None, []),
        (None, 0, 1, (type(None), None), []),
        ((), 0, 1, (tuple, None), []),
        ([1, (2, 3)], 3, 5, (list, None), [1, (2, 3)]),
        ({"b": (), "a": [2]}, 1, 4, (dict, ["a", "b"]), [[2], ()]),
        (OrderedDict(b=1, a=2), 2, 3, (OrderedDict, ("b", "a")), [1, 2]),
        (defaultdict(int, b=1), 1, 2, (defaultdict, (int, ("b",))), [1]),
        (Point((1,), 2), 2, 4, (Point, None), [(1,), 2]),
        ([[1, [2], None], {"a": [3]}], 3, 9, (list, None), [[1, [2], None], {"a": [3]}]),
    ],
    ids=str,
)
def test_parts(x, leaves, nodes, data, children):
    structure = s(x)
    assert (structure.num_leaves, structure.num_nodes, structure.node_data()) == (leaves, nodes, data)
    assert structure.children() == tree.treedef_children(structure) == [s(c) for c in children]
    assert [c.num_leaves for c in structure.children()] == [s(c).num_leaves for c in children]
    assert tree.treedef_is_leaf(structure) is (nodes == 1)


def test_treedef_tuple():
    parts = [s(3), s([1, None]), s({})]
    assert tree.treedef_tuple(iter(parts)) == s((3, [1, None], {}))
    assert tree.treedef_tuple(iter(parts)).num_leaves == 2
    assert tree.treedef_tuple([]) == s(())
    with pytest.raises(ArgumentError, match=r"treedef_tuple expects a PyTreeDef.*got list"):
        tree.treedef_tuple([[1]])


@pytest.mark.parametrize("outer", STRUCTURES, ids=str)
@pytest.mark.parametrize("inner", STRUCTURES[:5], ids=str)
def test_compose(outer, inner):
    composed = outer.compose(inner)
    leaf = inner.unflatten([0] * inner.num_leaves)
    assert composed == s(outer.unflatten([leaf] * outer.num_leaves))
    assert composed.num_leaves == outer.num_leaves * inner.num_leaves


def test_compose_expects_a_structure():
    with pytest.raises(ArgumentError, match=r"compose expects a PyTreeDef.*got list"):
        s(1).compose([1])


def test_unflatten_takes_any_leaves_from_any_iterable():
    assert s([1, 2]).unflatten(iter([None, (3,)])) == [None, (3,)]
    assert s({"a": 1}).unflatten({"leaf"}) == {"a": "leaf"}
    assert s(0).unflatten(iter("x")) == "x"


@pytest.mark.parametrize("structure", [s(1), s([1, 2]), s(None)], ids=str)
def test_wrong_number_of_leaves(structure):
    n = structure.num_leaves
    for given, message in [(n - 1, "too few"), (n + 1, "too many")]:
        if given < 0:
            continue
        for call in (structure.unflatten, lambda leaves: structure.walk(lambda *_: 0, lambda leaf: 0, leaves)):
            with pytest.raises(TreeError, match=f"{message} leaves for .*: it has {n}, got {given}"):
                call([0] * given)


def test_flatten_up_to():
    assert s([(1, 2), None, Point(3, 7)]).flatten_up_to([({"foo": 7}, (3, 4)), None, Point((11, 9), None)]) == [
        {"foo": 7},
        (3, 4),
        (11, 9),
        None,
    ]
    assert s(1).flatten_up_to([3]) == [[3]] and s(None).flatten_up_to(None) == []


def test_walk_goes_from_the_leaves_to_the_root_and_from_left_to_right():
    seen = []

    def node(children, data):
        seen.append((children, data))
        return "node"

    def leaf(x):
        seen.append(x)
        return -x

    assert s({"b": 2, "a": (1, None), "c": Point(3, [])}).walk(node, leaf, [1, 2, 3]) == "node"
    assert seen == [
        1,
        ((), None),
        ((-1, "node"), None),
        2,
        3,
        ((), None),
        ((-3, "node"), Point),
        (("node", -2, "node"), ["a", "b", "c"]),
    ]
