"""The layout, by what every picture must have: no box over another one, edges down and around boxes, each node once."""

import itertools
import random
import re
import time
from xml.etree import ElementTree

import pytest

from funcgrad.draw.drawing import Drawing
from funcgrad.draw.graph import Edge, Graph, Node
from funcgrad.draw.groups import grouped
from funcgrad.draw.layout.layered import LONGEST, Box, Line, layered
from funcgrad.draw.layout.orders import crossings, ordered
from funcgrad.draw.picture import frames_of_all, picture


def some_graph(seed, n=60, back=12, groups=True):
    """A random program: operations read some of those before them, and some stand in nested functions."""
    rng = random.Random(seed)
    nodes, edges, group = [], [], ()
    for k in range(n):
        if groups and rng.random() < 0.2:
            group = rng.choice([(), ("a",), ("a", "b"), ("c",), ("c", "b", "d")])
        kind = "leaf" if k < 3 or rng.random() < 0.1 else "operation"
        nodes.append(Node(f"n{k}", "x" * rng.randrange(1, 30), kind, type="float32[3]", group=group))
        if kind != "leaf":
            for _ in range(rng.randrange(1, 4)):
                cut = "detach()" if rng.random() < 0.1 else None
                edges.append(Edge(f"n{rng.randrange(max(0, k - back), k)}", f"n{k}", cut=cut))
    return Graph(nodes, edges)


def rectangle(box):
    return (
        box.x - box.width / 2,
        box.y - box.height / 2,
        box.x + box.width / 2,
        box.y + box.height / 2,
    )


def overlap(a, b, room=0.0):
    return a[0] < b[2] - room and b[0] < a[2] - room and a[1] < b[3] - room and b[1] < a[3] - room


def points(path, steps=24):
    """Points on a path of M, V and C."""
    x = y = 0.0
    for letter, numbers in re.findall(r"([MVC])([^MVC]*)", path):
        values = [float(v) for v in numbers.split()]
        if letter == "M":
            x, y = values
        elif letter == "V":
            yield from ((x, y + (values[0] - y) * k / steps) for k in range(steps + 1))
            y = values[0]
        else:
            ends = [(x, y), *zip(values[::2], values[1::2], strict=True)]
            for k in range(steps + 1):
                t = k / steps
                weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                yield tuple(sum(w * p[i] for w, p in zip(weights, ends, strict=True)) for i in (0, 1))
            x, y = ends[-1]


def check_frame(frame):
    from funcgrad.draw.svg import route

    boxes = [(item, rectangle(item.box)) for item in frame.items if item.kind != "port"]
    for k, (_, a) in enumerate(boxes):
        assert a[0] >= -0.1 and a[1] >= -0.1 and a[2] <= frame.width + 0.1 and a[3] <= frame.height + 0.1
        assert not any(overlap(a, b) for _, b in boxes[k + 1 :])
    for link in frame.links:
        source, target = (frame.items[k] for k in (link.line.source, link.line.target))
        assert source.box.y - source.box.height / 2 < target.box.y + target.box.height / 2
        path, _, _ = route(frame, link.line)
        found = list(points(path))
        xs, ys = zip(*found, strict=True)
        around = min(xs), min(ys), max(xs), max(ys)
        assert all(b[1] >= a[1] - 0.11 for a, b in itertools.pairwise(found)), "it goes up somewhere"
        reference = None if link.line.reference is None else frame.items[link.line.reference]
        for item, box in boxes:
            if item not in (source, target, reference) and overlap(around, box, 1.0):
                assert not any(overlap((*p, *p), box, 1.0) for p in found), f"an edge runs over {item.node}"


@pytest.mark.parametrize("seed", range(12))
def test_no_boxes_overlap_and_no_edge_runs_over_one(seed):
    whole = grouped(some_graph(seed), fold=False)
    everything = list(whole.root.groups())
    for opened in ([], everything[:3], everything):
        frames = [picture(whole, opened)]
        for frame in frames:
            check_frame(frame)
            frames += [item.frame for item in frame.items if item.frame is not None]
    for frame in frames_of_all(whole).values():
        check_frame(frame)


@pytest.mark.parametrize("seed", range(3))
def test_every_node_is_drawn_once(seed):
    graph = some_graph(seed)
    text = Drawing(graph, depth=9, fold=False).svg()
    root = ElementTree.fromstring(text)
    nodes = [e for e in root.iter("{http://www.w3.org/2000/svg}g") if e.get("class") == "node"]
    assert len(nodes) == len(graph.nodes)


def test_long_edges_become_references():
    n = LONGEST + 5
    boxes = [Box(40.0, 20.0) for _ in range(n)]
    lines = [Line(k, k + 1) for k in range(n - 1)] + [Line(0, n - 1)]
    layered(boxes, lines)
    assert lines[-1].reference == n and boxes[n].y < boxes[n - 1].y
    assert all(e.reference is None for e in lines[:-1])


def test_edges_against_time_are_drawn():
    graph = Graph([Node("a", "a"), Node("b", "b")], [Edge("a", "b"), Edge("b", "a")])
    text = Drawing(graph).svg()
    assert text.count('class="gradient"') == 2
    ElementTree.fromstring(text)


def test_sweeps_take_crossings_away():
    down = [[7], [6], [5], [4], [], [], [], []]
    up = [[], [], [], [], [3], [2], [1], [0]]
    position = [0, 1, 2, 3, 0, 1, 2, 3]
    assert crossings([[0, 1, 2, 3], [4, 5, 6, 7]], down, position) == 6
    layers = ordered([[0, 1, 2, 3], [4, 5, 6, 7]], up, down)
    for layer in layers:
        for k, v in enumerate(layer):
            position[v] = k
    assert crossings(layers, down, position) == 0


def test_a_chain_is_straight():
    boxes = [Box(40.0 + 10 * (k % 3), 20.0) for k in range(20)]
    layered(boxes, [Line(k, k + 1) for k in range(19)])
    assert len({round(b.x, 6) for b in boxes}) == 1


def test_nothing_at_all():
    assert layered([], []) == (0.0, 0.0)
    assert Drawing(Graph([], [])).svg().startswith("<svg")
    assert Drawing(Graph([], [])).html()


def test_thousands_of_nodes():
    graph = some_graph(0, n=2000, back=160, groups=False)
    start = time.process_time()
    text = Drawing(graph, fold=False).svg()
    assert time.process_time() - start < 12.0, "about one second on a machine that does nothing else"
    assert text.count("class='node'") == 2000


def test_references_to_what_comes_from_outside():
    n = LONGEST + 5
    nodes = [Node("x", "x", "leaf"), *[Node(f"n{k}", f"op{k}", group=("f",)) for k in range(n)], Node("end", "end")]
    edges = [Edge("x", "n0"), *[Edge(f"n{k}", f"n{k + 1}") for k in range(n - 1)], Edge(f"n{n - 1}", "end")]
    edges += [Edge("x", f"n{n - 1}"), Edge("x", "end"), Edge("n0", "end")]
    whole = grouped(Graph(nodes, edges))
    [inside] = [item.frame for item in picture(whole, whole.root.groups()).items if item.frame is not None]
    assert {"port", "node", "reference"} == {item.kind for item in inside.items}
    for frame in (inside, *frames_of_all(whole).values()):
        check_frame(frame)
