import dataclasses
import pickle

import numpy as np
import pytest

import funcgrad as fg
from funcgrad.errors import ArgumentError, TreeError

tree = fg.tree


class Interval:
    """Registered by functions, without keys."""

    def __init__(self, low, high, unit):
        self.low, self.high, self.unit = low, high, unit


tree.register_pytree_node(Interval, lambda i: (iter((i.low, i.high)), i.unit), lambda unit, c: Interval(*c, unit))


@tree.register_pytree_node_class
class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def tree_flatten(self):
        return (self.a, self.b), None

    @classmethod
    def tree_unflatten(cls, aux, children):
        return cls(*children)


@tree.register_pytree_with_keys_class
class Keyed(Pair):
    """Has a method without keys as well, inherited."""

    def tree_flatten_with_keys(self):
        return ((tree.GetAttrKey("a"), self.a), ("<b>", self.b)), None


@tree.register_static
class Name(str):
    pass


@tree.register_dataclass
@dataclasses.dataclass
class Layer:
    weight: object
    bias: object
    name: str = dataclasses.field(default="layer", metadata={"static": True})
    size: int = tree.static(default=1, metadata={"note": "kept"})
    made: bool = dataclasses.field(default=False, init=False)


def test_functions():
    leaves, structure = tree.flatten(Interval(1, [2, 3], "m"))
    assert leaves == [1, 2, 3]
    assert repr(structure) == "PyTreeDef(CustomNode(Interval[m], [*, [*, *]]))"
    back = structure.unflatten("abc")
    assert (back.low, back.high, back.unit) == ("a", ["b", "c"], "m")
    assert structure != tree.structure(Interval(1, [2, 3], "km")) != tree.structure(Interval(1, 2, "km"))


def test_paths():
    x = {"i": Interval(1, 2, "m"), "k": Keyed(3, [4]), "l": Layer(5, 6), "p": Pair(7, 8)}
    assert [tree.keystr(p) for p, _ in tree.leaves_with_path(x)] == [
        "['i'][<flat index 0>]",
        "['i'][<flat index 1>]",
        "['k'].a",
        "['k']<b>[0]",
        "['l'].weight",
        "['l'].bias",
        "['p'][<flat index 0>]",
        "['p'][<flat index 1>]",
    ]
    assert tree.flatten_with_path(x)[1] == tree.structure(x)


def test_with_keys_and_without():
    calls = []

    class Counted:
        def __init__(self, x):
            self.x = x

    def with_keys(c):
        calls.append("with")
        return [(tree.GetAttrKey("x"), c.x)], None

    def without(c):
        calls.append("without")
        return [c.x], None

    tree.register_pytree_with_keys(Counted, with_keys, lambda _, c: Counted(*c), without)
    assert tree.leaves(Counted([1])) == [1] and calls == ["without"]
    assert tree.leaves_with_path(Counted(1)) == [((tree.GetAttrKey("x"),), 1)] and calls[1:] == ["with"]

    class OnlyKeys:
        pass

    tree.register_pytree_with_keys(OnlyKeys, lambda c: ((("k", 5),), "data"), lambda aux, c: (aux, c))
    assert tree.flatten_one_level(OnlyKeys()) == ([5], "data")
    assert tree.map(str, OnlyKeys()) == ("data", ("5",))


def test_a_registered_namedtuple_is_what_it_was_registered_as():
    import collections

    cls = collections.namedtuple("Fixed", "value label")
    assert tree.leaves(cls(1, 2)) == [1, 2]
    tree.register_pytree_node(cls, lambda x: ((x.value,), x.label), lambda label, c: cls(*c, label))
    assert tree.leaves(cls(1, "a")) == [1] and tree.map(lambda v: v + 1, cls(1, "a")) == cls(2, "a")
    with pytest.raises(TreeError, match="already"):
        tree.register_pytree_node(cls, lambda x: ((), None), lambda _, c: None)


def test_subclasses_of_a_registered_class_are_leaves():
    class Derived(Pair):
        pass

    assert tree.is_tree_node(Pair) and not tree.is_tree_node(Derived)
    assert len(tree.leaves(Derived(1, 2))) == 1
    tree.register_pytree_node_class(Derived)
    assert tree.leaves(Derived(1, 2)) == [1, 2]


@pytest.mark.parametrize("cls, node", [(int, False), (list, True), (type(None), True), (Layer, True), (3, False)])
def test_is_tree_node(cls, node):
    assert tree.is_tree_node(cls) is node


# static


def test_static():
    leaves, structure = tree.flatten([1.0, Name("a")])
    assert leaves == [1.0] and structure.unflatten([2.0]) == [2.0, "a"]
    assert type(structure.unflatten([2.0])[1]) is Name
    assert structure == tree.structure([0, Name("a")]) != tree.structure([0, Name("b")])
    assert hash(structure) == hash(tree.structure([0, Name("a")]))
    assert repr(structure) == "PyTreeDef([*, CustomNode(Name[a], [])])"
    assert fg.grad(lambda t: t[0] ** 2)([3.0, Name("a")])[0] == 6.0


def test_static_fields():
    assert Layer.__dataclass_fields__["size"].metadata == {"static": True, "note": "kept"}
    assert tree.static(default=1, metadata={"static": False}).metadata["static"] is False
    assert tree.static().metadata["static"] is True


# dataclasses


def test_dataclass():
    leaves, structure = tree.flatten(Layer(1, [2], "dense", 3))
    assert leaves == [1, 2]
    assert structure.unflatten([10, 20]) == Layer(10, [20], "dense", 3)
    assert structure != tree.structure(Layer(1, [2], "other", 3)) and structure == tree.structure(
        Layer(0, [0], "dense", 3)
    )
    assert repr(structure) == "PyTreeDef(CustomNode(Layer[('dense', 3)], [*, [*]]))"


def test_a_dataclass_is_differentiated_as_a_pytree():
    g = fg.grad(lambda m: (m.weight * m.bias).sum())(Layer(fg.Array([1.0, 2.0]), 3.0, "dense"))
    assert type(g) is Layer and g.name == "dense"
    assert g.weight.tolist() == [3.0, 3.0] and float(g.bias) == 3.0


def three_fields(**options):
    return dataclasses.make_dataclass("Three", ["a", "b", ("c", int, 7)], **options)


def test_dataclass_fields_by_name():
    cls = tree.register_dataclass(three_fields(frozen=True), data_fields=["c", "a"], meta_fields=["b"])
    assert tree.leaves(cls(1, 2, 3)) == [3, 1] and tree.structure(cls(1, 2, 3)).node_data() == (cls, (2,))
    dropped = tree.register_dataclass(three_fields(), ["a"], ["b"], drop_fields=["c"])
    assert tree.map(lambda x: -x, dropped(1, 2, 3)) == dropped(-1, 2, 7)
    assert tree.leaves(tree.register_dataclass(three_fields(), drop_fields=["c"])(1, 2, 3)) == [1, 2]


def test_a_plain_class_with_named_fields():
    class Plain:
        def __init__(self, x, y=0):
            self.x, self.y = x, y

    tree.register_dataclass(Plain, data_fields=["x"], meta_fields=[])
    assert tree.map(lambda v: v + 1, Plain(1, 5)).x == 2


@pytest.mark.parametrize(
    "fields, error, message",
    [
        ({"data_fields": ["a"]}, TypeError, "both be given, or neither"),
        ({"meta_fields": ["a"]}, TypeError, "both be given, or neither"),
        ({"data_fields": ["a"], "meta_fields": ["c"]}, ValueError, "Missing fields: {'b'}"),
        ({"data_fields": ["a", "b", "c"], "meta_fields": ["d"]}, ValueError, "Unexpected fields: {'d'}"),
        ({"data_fields": ["a", "b"], "meta_fields": ["b", "c"]}, ValueError, r"overlap in \['b'\]"),
        ({"data_fields": "abc", "meta_fields": "", "drop_fields": "c"}, ValueError, "Unexpected fields: {'c'}"),
    ],
    ids=str,
)
def test_wrong_fields(fields, error, message):
    cls = three_fields()
    with pytest.raises(error, match=message):
        tree.register_dataclass(cls, **fields)
    assert not tree.is_tree_node(cls)


@pytest.mark.parametrize("x", [int, 3, Layer(1, 2)], ids=repr)
def test_no_dataclass(x):
    with pytest.raises(ArgumentError, match="expects a dataclass"):
        tree.register_dataclass(x)


# wrong registrations


@pytest.mark.parametrize(
    "register",
    [
        lambda: tree.register_pytree_node(Pair, lambda p: ((), None), lambda _, c: None),
        lambda: tree.register_pytree_node(dict, lambda p: ((), None), lambda _, c: None),
        lambda: tree.register_pytree_node_class(Pair),
        lambda: tree.register_pytree_with_keys_class(Keyed),
        lambda: tree.register_static(Name),
        lambda: tree.register_dataclass(Layer),
    ],
)
def test_a_class_is_registered_once(register):
    with pytest.raises(ValueError, match="is registered as a pytree already"):
        register()


@pytest.mark.parametrize(
    "register, message",
    [
        (lambda: tree.register_static(3), "expected a class, got 3"),
        (lambda: tree.register_pytree_node(Exception, None, lambda _, c: None), "flatten_func must be a function"),
        (lambda: tree.register_pytree_node(Exception, lambda x: x, 3), "unflatten_func must be a function"),
        (lambda: tree.register_pytree_node_class(Exception), "with a method tree_flatten, but"),
        (lambda: tree.register_pytree_with_keys_class(Pair), "with a method tree_flatten_with_keys, but"),
        (lambda: tree.register_pytree_with_keys(Exception, None, None), "flatten_with_keys must be a function"),
    ],
)
def test_what_cannot_be_registered(register, message):
    with pytest.raises(ArgumentError, match=message):
        register()
    assert not tree.is_tree_node(Exception)


@pytest.mark.parametrize("out", ["hello", "ab", (2, 3, 4), (7, 7), [(1,), None]], ids=repr)
def test_a_flatten_function_must_return_a_pair(out):
    cls = type("Bad", (), {})
    tree.register_pytree_node(cls, lambda _: out, lambda _, c: None)
    with pytest.raises(TreeError, match="flatten_func of Bad must return a tuple") as e:
        tree.leaves(cls())
    assert repr(out) in str(e.value)


def test_keys_must_come_in_pairs():
    cls = type("Bad", (), {})
    tree.register_pytree_with_keys(cls, lambda _: ((("k", 1, 2),), None), lambda _, c: None)
    for f in (tree.leaves, tree.leaves_with_path):
        with pytest.raises(TreeError, match=r"must give a tuple \(key, child\) for each child, got \('k', 1, 2\)"):
            f(cls())


# static data


def test_static_data_that_cannot_be_hashed_can_be_compared():
    a, b = tree.structure(Interval(1, 2, ["m"])), tree.structure(Interval(3, 4, ["m"]))
    assert a == b and hash(a) == hash(b) and a != tree.structure(Interval(1, 2, ["km"]))


def test_static_data_that_cannot_be_compared():
    def interval():
        return Interval(1, 2, np.ones(2))

    for compare in (
        lambda: tree.structure(interval()) == tree.structure(interval()),
        lambda: tree.map(lambda a, b: a, interval(), interval()),
    ):
        with pytest.raises(TreeError, match=r"could not be compared.*arrays belong among the children"):
            compare()


def test_a_structure_of_a_class_that_is_not_registered_is_not_unpickled(monkeypatch):
    data = pickle.dumps(tree.structure(Pair(1, [2])))
    assert pickle.loads(data) == tree.structure(Pair(0, [0]))
    from funcgrad.core import tree_registry

    monkeypatch.setitem(tree_registry.nodes, Pair, None)
    with pytest.raises(TreeError, match="Pair, which is not registered as a pytree in this process"):
        pickle.loads(data)
