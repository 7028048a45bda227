import operator
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import funcgrad as fg
from funcgrad.errors import ArgumentError, TreeError

tree = fg.tree
Point = namedtuple("Point", "x y")


class LabelledPoint(Point):
    pass


class Vector(list):
    pass


class Table(dict):
    pass


def is_none(x):
    return x is None


def is_tuple(x):
    return isinstance(x, tuple)


TREES = [
    (1, [1], "*"),
    (None, [], "None"),
    ((), [], "()"),
    ([1, (2, None), []], [1, 2], "[*, (*, None), []]"),
    ((1,), [1], "(*,)"),
    ({"b": 2, "a": [0, 1]}, [0, 1, 2], "{'a': [*, *], 'b': *}"),
    ({2: "x", 1: "y"}, ["y", "x"], "{1: *, 2: *}"),
    ({}, [], "{}"),
    (OrderedDict([("b", 2), ("a", 1)]), [2, 1], "CustomNode(OrderedDict[('b', 'a')], [*, *])"),
    (defaultdict(list, {"z": 1}), [1], "CustomNode(defaultdict[(<class 'list'>, ('z',))], [*])"),
    (
        Point(1, Point(2, 3)),
        [1, 2, 3],
        "CustomNode(namedtuple[Point], [*, CustomNode(namedtuple[Point], [*, *])])",
    ),
    (LabelledPoint(1, 2), [1, 2], "CustomNode(namedtuple[LabelledPoint], [*, *])"),
    (Vector([1]), [[1]], "*"),
    (Table(a=1), [{"a": 1}], "*"),
]


@pytest.mark.parametrize("x, leaves, text", TREES, ids=str)
def test_flatten_unflatten_round_trip(x, leaves, text):
    found, structure = tree.flatten(x)
    assert found == leaves == tree.leaves(x)
    assert structure.num_leaves == len(leaves)
    assert repr(structure) == f"PyTreeDef({text})"
    rebuilt = tree.unflatten(structure, found)
    assert rebuilt == x and type(rebuilt) is type(x)
    assert tree.structure(rebuilt) == structure and hash(tree.structure(rebuilt)) == hash(structure)


def test_a_rebuilt_dict_has_sorted_keys_and_an_ordered_one_keeps_its_order():
    assert list(tree.map(abs, {"b": 1, "a": 2})) == ["a", "b"]
    assert list(tree.map(abs, OrderedDict(b=1, a=2))) == ["b", "a"]
    rebuilt = tree.map(abs, defaultdict(list, b=1, a=2))
    assert list(rebuilt) == ["a", "b"] and rebuilt["new"] == []


nested = st.recursive(
    st.integers() | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.sampled_from("abc"), inner)
        | st.builds(Point, inner, inner)
        | st.dictionaries(st.sampled_from("abc"), inner).map(OrderedDict)
    ),
    max_leaves=20,
)


def at(x, path):
    for key in path:
        x = getattr(x, key.name) if isinstance(key, tree.GetAttrKey) else x[getattr(key, "key", getattr(key, "idx", 0))]
    return x


@given(nested)
def test_laws(x):
    leaves, structure = tree.flatten(x)
    assert structure.unflatten(leaves) == x
    assert structure.flatten_up_to(x) == leaves
    assert tree.map(lambda a: a, x) == x
    pairs, same = tree.flatten_with_path(x)
    assert same == structure and [leaf for _, leaf in pairs] == leaves
    assert all(at(x, path) == leaf for path, leaf in pairs)
    assert structure.walk(lambda children, _: sum(children), lambda leaf: leaf, leaves) == sum(leaves)
    assert tree.leaves(tree.broadcast(0, x)) == [0] * len(leaves)
    assert structure == tree.structure(tree.broadcast(0, x))


def test_what_the_caller_holds_is_not_changed():
    x = {"b": [1, 2], "a": Point(3, [4])}
    leaves, structure = tree.flatten(x)
    structure.unflatten(leaves)
    tree.map(lambda a: a + 1, x)
    assert x == {"b": [1, 2], "a": Point(3, [4])} and list(x) == ["b", "a"] and leaves == [3, 4, 1, 2]
    assert structure.unflatten(leaves)["b"] is not x["b"]


# map


def test_map_with_several_trees_and_prefixes():
    assert tree.map(lambda a, b: a + b, {"x": 1, "y": (2, 3)}, {"x": 10, "y": (20, 30)}) == {"x": 11, "y": (22, 33)}
    assert tree.map(lambda a, b: (a, b), [1], [[5, 6]]) == [(1, [5, 6])]
    assert tree.map(lambda a, b, c: a + b + c, [1], [2], [3]) == [6]


MISMATCHES = [
    ({"a": [1, 2]}, {"a": [1, 2, 3]}, "['a']", "List arity mismatch: 3 != 2"),
    ({"a": (1, 2)}, {"a": (1,)}, "['a']", "Tuple arity mismatch: 1 != 2"),
    ({"a": 1, "c": 2}, {"a": 1, "b": 2}, "the root", "Missing: ['c']. Not expected: ['b']."),
    ({"a": 1}, {"a": 1, "b": 2}, "the root", "present keys: ['a', 'b']. Not expected: ['b']."),
    ({"a": [1, 2]}, {"a": (1, 2)}, "['a']", "Expected list, got (1, 2)."),
    ({"a": [1, 2]}, {"a": 3}, "['a']", "Expected list, got 3."),
    ([(), [1, {"k": (2,)}]], [(), [1, {"k": [2]}]], "[1][1]['k']", "Expected tuple, got [2]."),
    ([[[1, 2]], [3]], [[[1, 2]], 3], "[1]", "Expected list, got 3."),
    ([1, None], [1, 2], "[1]", "Expected None, got 2. None is a container without children"),
    ([1, [2]], [1, None], "[1]", "Expected list, got None. None is a container without children"),
    ([Point(1, [2])], [Point(1, 2)], "[0].y", "Expected list, got 2."),
    ([Point(1, 2)], [(1, 2)], "[0]", "Expected Point, got (1, 2)."),
    ([(1, 2)], [Point(1, 2)], "[0]", "Expected tuple, got Point(x=1, y=2). Pytrees go by the exact type"),
    (Point(1, 2), LabelledPoint(1, 2), "the root", "LabelledPoint is a subclass"),
    (Point(1, 2), namedtuple("Point", "x y")(1, 2), "the root", "two classes of this name"),
    ({"a": 1}, OrderedDict(a=1), "the root", "Expected dict, got OrderedDict"),
    (OrderedDict(a=1, b=2), OrderedDict(b=1, a=2), "the root", "expected ('a', 'b'), got ('b', 'a')"),
    (OrderedDict(a=1), OrderedDict(), "the root", "OrderedDict arity mismatch: 0 != 1"),
    (defaultdict(int, a=1), defaultdict(list, a=1), "the root", "defaultdict data mismatch"),
]


@pytest.mark.parametrize("first, other, place, what", MISMATCHES, ids=str)
def test_a_mismatch_is_named_with_its_place(first, other, place, what):
    for call in (
        lambda: tree.map(lambda a, b: a, first, other),
        lambda: tree.map_with_path(lambda p, a, b: a, first, other),
        lambda: tree.broadcast(first, other),
        lambda: tree.structure(first).flatten_up_to(other),
    ):
        with pytest.raises(TreeError) as e:
            call()
        assert isinstance(e.value, ValueError)
        assert str(e.value).startswith(f"the pytrees differ at {place}: ")
        assert what in str(e.value)


def test_a_mismatch_says_which_pytree():
    with pytest.raises(TreeError, match=r"^pytree 3 of 3: the pytrees differ at \[0\]: Expected list"):
        tree.map(lambda a, b, c: a, [[1]], [[1]], [1])


def test_a_mismatch_of_large_values_is_told_briefly():
    with pytest.raises(TreeError) as e:
        tree.map(lambda a, b: a, [[1]], [np.zeros((1000, 1000))])
    assert len(str(e.value)) < 300


def test_functions_are_expected_first():
    for call in (
        lambda: tree.map([1], abs),
        lambda: tree.map_with_path([1], abs),
        lambda: tree.reduce([1], abs),
        lambda: tree.reduce_associative([1], abs),
    ):
        with pytest.raises(ArgumentError, match="expects a function first, got list"):
            call()


# is_leaf


def test_is_leaf_stops_the_walk():
    assert tree.leaves([None, (1, 2)], is_leaf=lambda x: x is None or is_tuple(x)) == [None, (1, 2)]
    assert tree.leaves((1, 2), is_leaf=is_tuple) == [(1, 2)]
    assert tree.structure([(1, 2), [3]], is_leaf=is_tuple) == tree.structure([0, [0]])
    assert tree.reduce(operator.add, [(1, 2), [(3,)]], is_leaf=is_tuple) == (1, 2, 3)
    assert tree.all([(), (1,)], is_leaf=is_tuple) is False
    x, y = ((1, 2), [3, 4]), (([3], None), ({"k": 0}, 7))
    assert tree.map(lambda *xs: xs, x, y, is_leaf=lambda v: isinstance(v, list)) == (
        ((1, [3]), (2, None)),
        ([3, 4], ({"k": 0}, 7)),
    )


def test_is_leaf_with_path():
    x = [1, {"a": [2]}]
    found = tree.leaves_with_path(x, is_leaf=lambda path, _: len(path) == 2, is_leaf_takes_path=True)
    assert [(tree.keystr(p), leaf) for p, leaf in found] == [("[0]", 1), ("[1]['a']", [2])]
    mapped = tree.map_with_path(lambda p, a: len(p), x, is_leaf=lambda p, _: len(p) == 1, is_leaf_takes_path=True)
    assert mapped == [1, 1]
    assert tree.leaves_with_path([None], is_leaf=is_none) == [((tree.SequenceKey(0),), None)]


# broadcast


def test_broadcast():
    assert tree.broadcast((1, 2), ([0, 0], {"a": 0, "b": (0,)})) == ([1, 1], {"a": 2, "b": (2,)})
    assert tree.broadcast((None, 2), ([0, 0], 0), is_leaf=is_none) == ([None, None], 2)
    assert tree.broadcast((1, 2), [0, [0, 0]], is_leaf=is_tuple) == [(1, 2), [(1, 2), (1, 2)]]
    assert tree.broadcast([5, 6], [None, 0]) == [None, 6]


# reduce


def test_reduce_and_all():
    assert tree.reduce(operator.add, {"a": 1, "b": [2, 3]}) == 6
    assert tree.reduce(operator.add, [1], 10) == 11
    assert tree.reduce(operator.add, [], None) is None
    assert tree.all({"a": True, "b": [1]}) is True and tree.all([0]) is False and tree.all(None) is True
    with pytest.raises(TypeError):
        tree.reduce(operator.add, [])


@given(st.lists(st.text("ab", max_size=2), max_size=20))
def test_reduce_associative_keeps_the_order_in_a_balanced_tree(words):
    assert tree.reduce_associative(operator.add, words, identity="") == "".join(words)
    depth = tree.reduce_associative(lambda a, b: 1 + max(a, b), [0] * len(words), identity=0)
    assert depth == (len(words) - 1).bit_length() if words else depth == 0


def test_reduce_associative_without_leaves():
    assert tree.reduce_associative(operator.add, [None], identity=7) == 7
    assert tree.reduce_associative(operator.add, ["x"], identity="unused") == "x"
    assert tree.reduce_associative(operator.add, [(1,), (2,)], is_leaf=is_tuple) == (1, 2)
    with pytest.raises(ArgumentError, match="identity"):
        tree.reduce_associative(operator.add, [])


# transpose


def test_transpose():
    pairs = [{"a": 1}, {"a": 2}]
    assert tree.transpose(tree.structure([0, 0]), tree.structure({"a": 0}), pairs) == {"a": [1, 2]}
    assert tree.transpose(tree.structure([0, 0]), None, [(1, 2), (3, 4)]) == ([1, 3], [2, 4])
    assert tree.transpose(tree.structure([]), tree.structure((0, 0)), []) == ([], [])


@pytest.mark.parametrize(
    "outer, inner, x",
    [
        ({"a": 0, "b": 0, "c": 0}, [0, 0], {"a": [1, 2], "b": [3, 4]}),
        ({"a": 0, "b": 0}, [0, 0, 0], {"a": [1, 2], "b": [3, 4]}),
        ([0, 0, 0], (0, 0), [[1, 2], [3, 4], [5, 6]]),
        ([0, 0, 0], [0, 0], [1, [2, [3, [4, [5, [6]]]]]]),
        ([0, 0], (0, 0), [1, 2]),
    ],
    ids=str,
)
def test_transpose_of_another_structure(outer, inner, x):
    with pytest.raises(TypeError, match="Mismatch"):
        tree.transpose(tree.structure(outer), tree.structure(inner), x)


def test_transpose_has_to_know_the_inner_structure():
    with pytest.raises(ArgumentError, match="needs the inner structure"):
        tree.transpose(tree.structure([]), None, [])


# leaves and levels


def test_all_leaves():
    assert tree.all_leaves([]) and tree.all_leaves([1, "a", Vector()])
    assert not tree.all_leaves([1, None]) and tree.all_leaves([1, None], is_leaf=is_none)
    assert not tree.all_leaves([[1]])


@pytest.mark.parametrize(
    "x, children, keys, data",
    [
        (None, [], "", None),
        ([1, [2]], [1, [2]], "[0] [1]", None),
        ((1, 2), [1, 2], "[0] [1]", None),
        ({"b": 1, "a": (2,)}, [(2,), 1], "['a'] ['b']", ("a", "b")),
        (OrderedDict(b=1, a=2), [1, 2], "['b'] ['a']", ("b", "a")),
        (defaultdict(int, b=1, a=2), [2, 1], "['a'] ['b']", (int, ("a", "b"))),
        (Point(1, 2), [1, 2], ".x .y", Point),
    ],
    ids=str,
)
def test_one_level(x, children, keys, data):
    found, aux = tree.flatten_one_level(x)
    assert list(found) == children and aux == data
    pairs, aux = tree.flatten_one_level_with_keys(x)
    assert [c for _, c in pairs] == children and aux == data
    assert " ".join(str(k) for k, _ in pairs) == keys


def test_one_level_of_a_leaf():
    for f in (tree.flatten_one_level, tree.flatten_one_level_with_keys):
        with pytest.raises(ValueError, match="can't tree-flatten type: <class 'int'>"):
            f(1)


# bad input


def test_unsortable_keys():
    for x in ({1: 0, "a": 0}, defaultdict(int, {1: 0, "a": 0})):
        for f in (tree.leaves, tree.leaves_with_path):
            with pytest.raises(TreeError, match=r"sortable.*'<' not supported"):
                f(x)
    assert tree.leaves(OrderedDict([(1, 0), ("a", 1)])) == [0, 1]


def nested_list(depth):
    x = 1
    for _ in range(depth):
        x = [x]
    return x


def test_deep_nesting_does_not_recurse():
    x = nested_list(5000)
    leaves, structure = tree.flatten(x)
    assert leaves == [1] and structure.num_nodes == 5001 and structure == tree.structure(nested_list(5000))
    assert repr(structure) == "PyTreeDef(" + "[" * 5000 + "*" + "]" * 5000 + ")"
    assert tree.leaves(tree.map(lambda a, b: a + b, x, x)) == [2]
    [(path, leaf)] = tree.leaves_with_path(x)
    assert len(path) == 5000 and leaf == 1
    with pytest.raises(TreeError, match=r"the root: Expected list, got \(1,\)"):
        structure.flatten_up_to((1,))
    with pytest.raises(TreeError, match="the root: Expected tuple"):
        tree.structure((1,)).flatten_up_to(x)


def test_a_container_in_itself():
    x = [1]
    x.append(x)
    for f in (tree.leaves, tree.leaves_with_path):
        with pytest.raises(TreeError, match="does a container hold itself"):
            f(x)


def test_unflatten_expects_the_structure_first():
    with pytest.raises(ArgumentError, match="expects a PyTreeDef first, got list"):
        tree.unflatten([1, 2], tree.structure([0, 0]))


def test_ravel_pytree():
    x = {"b": fg.Array([[1.0, 2.0]]), "n": fg.Array([3]), "w": fg.Array(4.0, "float32")}
    vector, unravel = fg.ravel_pytree(x)
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0]
    back = unravel(vector * 2)
    assert back["b"].tolist() == [[2.0, 4.0]] and back["n"].dtype == int and back["w"].dtype == "float32"
    grad = fg.grad(lambda v: (unravel(v)["b"] ** 2).sum())(vector)
    assert grad.tolist() == [2.0, 4.0, 0.0, 0.0]
    assert fg.ravel_pytree({})[0].shape == (0,)
    with pytest.raises(fg.errors.ShapeError, match=r"\(4,\)"):
        unravel(fg.Array([1.0]))
