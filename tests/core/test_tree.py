import dataclasses
from collections import OrderedDict, defaultdict, namedtuple

import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, TreeError

Point = namedtuple("Point", "x y")


@dataclasses.dataclass
class Layer:
    weight: object
    bias: object
    name: str = dataclasses.field(default="layer", metadata={"static": True})


fg.tree.register_dataclass(Layer)


@fg.tree.register_pytree_node_class
class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def tree_flatten(self):
        return (self.a, self.b), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


TREES = [
    (1, [1]),
    (None, []),
    ((), []),
    ([1, (2, None), []], [1, 2]),
    ({"b": 2, "a": [0, 1]}, [0, 1, 2]),
    (OrderedDict([("b", 2), ("a", 1)]), [2, 1]),
    (defaultdict(list, {"z": 1}), [1]),
    (Point(1, Point(2, 3)), [1, 2, 3]),
    (Layer(1, [2], "dense"), [1, 2]),
]


@pytest.mark.parametrize("tree, leaves", TREES, ids=str)
def test_flatten_unflatten_round_trip(tree, leaves):
    found, structure = fg.tree.flatten(tree)
    assert found == leaves
    assert structure.num_leaves == len(leaves)
    rebuilt = fg.tree.unflatten(structure, found)
    assert rebuilt == tree and type(rebuilt) is type(tree)
    assert fg.tree.structure(rebuilt) == structure and hash(fg.tree.structure(rebuilt)) == hash(structure)


def test_structure_distinguishes():
    s = fg.tree.structure
    assert s([1, 2]) != s((1, 2))
    assert s({"a": 1}) != s({"b": 1})
    assert s(Layer(1, 2, "a")) != s(Layer(1, 2, "b"))
    assert s(None) != s(1)


def test_map_with_several_trees_and_prefixes():
    assert fg.tree.map(lambda a, b: a + b, {"x": 1, "y": (2, 3)}, {"x": 10, "y": (20, 30)}) == {"x": 11, "y": (22, 33)}
    assert fg.tree.map(lambda a, b: (a, b), [1], [[5, 6]]) == [(1, [5, 6])]


@pytest.mark.parametrize(
    "other, place",
    [({"a": [1, 2, 3]}, "['a']"), ({"b": [1, 2]}, "the root"), ({"a": (1, 2)}, "['a']"), ({"a": 3}, "['a']")],
)
def test_map_names_the_place_of_a_mismatch(other, place):
    with pytest.raises(TreeError) as e:
        fg.tree.map(lambda a, b: a, {"a": [1, 2]}, other)
    assert place in str(e.value)


def test_is_leaf_stops_the_walk():
    assert fg.tree.leaves([None, (1, 2)], is_leaf=lambda x: x is None or isinstance(x, tuple)) == [None, (1, 2)]


def test_paths():
    tree = {"layers": [Point(1, 2)], "m": Layer(3, 4), "p": Pair(5, 6)}
    paths = [fg.tree.keystr(p) for p, _ in fg.tree.leaves_with_path(tree)]
    assert paths == ["['layers'][0].x", "['layers'][0].y", "['m'].weight", "['m'].bias", "['p'][0]", "['p'][1]"]
    assert fg.tree.map_with_path(lambda p, x, y: x + y, [1], [2]) == [3]


def test_keys_of_different_kinds_differ():
    assert fg.tree.DictKey("a") == fg.tree.DictKey("a") and hash(fg.tree.DictKey("a")) == hash(fg.tree.DictKey("a"))
    assert fg.tree.DictKey("a") != fg.tree.GetAttrKey("a") and fg.tree.SequenceKey(0) != fg.tree.DictKey(0)
    assert repr(fg.tree.SequenceKey(1)) == "SequenceKey(idx=1)"


def test_reduce_all_transpose():
    assert fg.tree.reduce(lambda a, b: a + b, {"a": 1, "b": [2, 3]}) == 6
    assert fg.tree.reduce(lambda a, b: a + b, [1], 10) == 11
    assert fg.tree.all({"a": True, "b": [1]}) is True and fg.tree.all([0]) is False
    inside_out = fg.tree.transpose(fg.tree.structure([0, 0]), fg.tree.structure({"a": 0}), [{"a": 1}, {"a": 2}])
    assert inside_out == {"a": [1, 2]}
    assert fg.tree.transpose(fg.tree.structure([0, 0]), None, [(1, 2), (3, 4)]) == ([1, 3], [2, 4])


def test_errors():
    structure = fg.tree.structure([1, 2])
    with pytest.raises(TreeError, match="too few"):
        structure.unflatten([1])
    with pytest.raises(TreeError, match="too many"):
        structure.unflatten([1, 2, 3])
    with pytest.raises(TreeError, match="sortable"):
        fg.tree.leaves({1: 0, "a": 0})
    with pytest.raises(ArgumentError, match="already"):
        fg.tree.register_pytree_node(Pair, None, None)
    with pytest.raises(ArgumentError, match="already"):
        fg.tree.register_dataclass(Layer)
    with pytest.raises(ArgumentError, match="dataclass"):
        fg.tree.register_dataclass(int)

    @dataclasses.dataclass
    class Other:
        a: int
        b: int

    with pytest.raises(ArgumentError, match="name each of its fields once"):
        fg.tree.register_dataclass(Other, data_fields=["a"])


def test_printing():
    text = repr(fg.tree.structure({"a": (1,), "b": [None, Point(1, 2)], "c": OrderedDict(k=1), "d": ()}))
    assert text == "PyTreeDef({'a': (*,), 'b': [None, Point(.x=*, .y=*)], 'c': OrderedDict(['k']=*), 'd': ()})"


def test_a_module_is_differentiated_as_a_pytree():
    g = fg.grad(lambda m: (m.weight * m.bias).sum())(Layer(fg.Array([1.0, 2.0]), 3.0, "dense"))
    assert type(g) is Layer and g.name == "dense"
    assert g.weight.tolist() == [3.0, 3.0] and float(g.bias) == 3.0


def test_ravel_pytree():
    tree = {"b": fg.Array([[1.0, 2.0]]), "n": fg.Array([3]), "w": fg.Array(4.0, "float32")}
    vector, unravel = fg.ravel_pytree(tree)
    assert vector.tolist() == [1.0, 2.0, 3.0, 4.0]
    back = unravel(vector * 2)
    assert back["b"].tolist() == [[2.0, 4.0]] and back["n"].dtype == int and back["w"].dtype == "float32"
    grad = fg.grad(lambda v: (unravel(v)["b"] ** 2).sum())(vector)
    assert grad.tolist() == [2.0, 4.0, 0.0, 0.0]
    assert fg.ravel_pytree({})[0].shape == (0,)
    with pytest.raises(fg.errors.ShapeError, match=r"\(4,\)"):
        unravel(fg.Array([1.0]))
