"""Groups: functions and modules as boxes, leaves where they are read, repeated parts once."""

import itertools

from funcgrad.draw.drawing import Drawing
from funcgrad.draw.folding import CARRIED
from funcgrad.draw.graph import Edge, Graph, Node, Place
from funcgrad.draw.group import Group
from funcgrad.draw.groups import grouped


def shape(group):
    """A tree of groups as nested lists."""
    return [{c.title: shape(c)} if isinstance(c, Group) else c.id for c in group.children]


def chain(*nodes):
    return Graph(nodes, [Edge(a.id, b.id) for a, b in itertools.pairwise(nodes)])


def node(id, *group, title="op"):
    return Node(id, title, group=group)


def test_a_function_that_is_entered_again_is_another_group():
    graph = chain(node("a", "f"), node("b", "f"), node("c"), node("d", "f"), node("e", "f"), node("g", "f", "h"))
    assert shape(grouped(graph).root) == [{"f": ["a", "b"]}, "c", {"f": ["d", "e", "g"]}]


def test_calls_are_told_apart():
    graph = chain(*[Node(f"n{k}", "op", group=("f",), calls=(k // 2,)) for k in range(4)])
    assert shape(grouped(graph).root) == [{"f": ["n0", "n1"]}, {"f": ["n2", "n3"]}]


def test_a_group_of_one_operation_is_a_note():
    whole = grouped(chain(node("a"), node("b", "act"), node("c")))
    assert shape(whole.root) == ["a", "b", "c"]
    assert whole.root.children[1].notes == ("act",)


def test_leaves_stand_where_they_are_read():
    nodes = [Node("w", "w", "leaf"), Node("v", "v", "leaf"), node("a", "f"), node("b", "f"), node("c")]
    edges = [Edge("w", "b"), Edge("v", "a"), Edge("v", "c"), Edge("a", "b"), Edge("b", "c")]
    assert shape(grouped(Graph(nodes, edges)).root) == ["v", {"f": ["a", "w", "b"]}, "c"]


def loop(n, *, different=None, group=(), kept=8):
    """h = tanh(w h + b) n times, from h0; one step may be another one."""
    nodes = [Node("w", "w", "leaf"), Node("b", "b", "leaf"), Node("h", "h", "leaf")]
    edges, h = [], "h"
    for k in range(n):
        for title, sources in (("mul", ["w", h]), ("add", [f"mul{k}", "b"]), ("tanh", [f"add{k}"])):
            name = "sin" if k == different and title == "tanh" else title
            place = Place("loop.py", {"mul": 3, "add": 4, "tanh": 5}[title])
            nodes.append(Node(f"{title}{k}", name, group=group, kept=kept, place=place))
            edges += [Edge(s, f"{title}{k}") for s in sources]
        h = f"tanh{k}"
    return Graph([*nodes, Node("end", "sum", "result")], [*edges, Edge(h, "end")])


def test_steps_of_a_loop_are_drawn_once():
    whole = grouped(loop(100))
    assert shape(whole.root) == ["w", "b", "h", {"repeated × 100": ["mul0", "add0", "tanh0"]}, "end"]
    group = whole.root.children[3]
    assert group.kept == 100 * 3 * 8
    assert {(e.source, e.target) for e in whole.edges} == {
        ("w", "mul0"), ("h", "mul0"), ("b", "add0"), ("mul0", "add0"), ("add0", "tanh0"), ("tanh0", "end"),
    }  # fmt: skip  # as they are drawn
    assert group.children[2].notes == (CARRIED,)


def test_what_is_repeated_in_a_function_is_called_so():
    whole = grouped(loop(20, group=("step",)))
    assert shape(whole.root) == ["w", "b", "h", {"step × 20": ["mul0", "add0", "tanh0"]}, "end"]


def test_a_step_that_does_something_else_is_not_folded():
    tree = shape(grouped(loop(30, different=12)).root)
    assert {"repeated × 12": ["mul0", "add0", "tanh0"]} in tree and "tanh12" in tree
    assert {"repeated × 17": ["mul13", "add13", "tanh13"]} in tree


def test_a_step_that_is_linked_otherwise_is_not_folded():
    graph = loop(9)
    graph.edges = [Edge("tanh2", "mul6") if (e.source, e.target) == ("tanh5", "mul6") else e for e in graph.edges]
    assert not any(g.count == 9 for g in grouped(graph).root.groups())


def test_a_cut_in_one_step_is_seen():
    graph = loop(9)
    for e in graph.edges:
        if (e.source, e.target) == ("tanh3", "mul4"):
            e.cut = "detach()"
    assert [e.cut for e in grouped(graph).edges if e.cut] == ["detach()"]


def blocks(n):
    """Blocks of a network: each has parameters of its own, and inside two layers."""
    nodes, edges, h = [Node("x", "x", "leaf")], [], "x"
    for k in range(n):
        for layer in ("ln", "fc"):
            nodes.append(Node(f"{k}.{layer}.w", f"blocks.{k}.{layer}.w", "leaf"))
            for title in ("mul", "add"):
                id = f"{k}.{layer}.{title}"
                nodes.append(Node(id, title, group=("Net", f"blocks.{k} Block", layer)))
                edges += [Edge(f"{k}.{layer}.w", id), Edge(h, id)]
                h = id
    return Graph([*nodes, Node("loss", "sum", "result")], [*edges, Edge(h, "loss")])


def test_blocks_fold_with_their_parameters():
    whole = grouped(blocks(6))
    [net] = [g for g in whole.root.children if isinstance(g, Group)]
    assert net.label == "Net / blocks.0…5 Block" and net.count == 6
    assert [c.label for c in net.children] == ["ln", "fc"]
    assert [c.id for c in net.children[0].children] == ["0.ln.w", "0.ln.mul", "0.ln.add"]
    shown = {n.id for n in whole.root.nodes()}
    assert {e.source for e in whole.edges} | {e.target for e in whole.edges} == shown


def test_loops_in_loops():
    nodes, edges, h = [Node("x", "x", "leaf")], [], "x"
    for k in range(5):
        for j in range(4):
            for title in ("mul", "tanh"):
                id = f"{title}{k}.{j}"
                nodes.append(Node(id, title))
                edges.append(Edge(h, id))
                h = id
        nodes.append(Node(f"norm{k}", "norm"))
        edges.append(Edge(h, f"norm{k}"))
        h = f"norm{k}"
    whole = grouped(Graph(nodes, edges))
    inner = {"repeated × 4": ["mul0.0", "tanh0.0"]}
    assert shape(whole.root) == ["x", {"repeated × 5": [inner, "norm0"]}]
    assert {(e.source, e.target) for e in whole.edges} == {("x", "mul0.0"), ("mul0.0", "tanh0.0"), ("tanh0.0", "norm0")}


def test_without_folds_everything_is_there():
    assert len(list(grouped(loop(100), fold=False).root.nodes())) == 304


def test_groups_are_open_as_deep_as_asked_for():
    deep = chain(*[node(f"n{k}", "f", *(["g"] if k % 4 > 1 else [])) for k in range(8)], node("z"))
    for depth, closed in ((0, 1), (1, 2), (2, 0)):
        assert Drawing(deep, depth=depth, fold=False).svg().count("▸") == closed


def test_large_graphs_are_closed_by_default():
    many = chain(*[node(f"n{k}", f"f{k // 50}", title=f"op{k}") for k in range(500)])
    assert Drawing(many).svg().count("▸") == 10
    few = chain(*[node(f"n{k}", f"f{k // 5}", title=f"op{k}") for k in range(20)])
    assert "▸" not in Drawing(few).svg()
