"""A picture: groups as frames with a layout of their own inside, down to those that are closed.

What leaves or enters a frame does so through a port in its border, so an edge between two groups is drawn in parts:
from the node down to the border of its group, on from there, and from the border of the other group to the reader.
"""

from __future__ import annotations

import itertools
import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

from funcgrad.draw.graph import OPERATION, RESULT, Edge, Node, clipped, size_text
from funcgrad.draw.group import Group
from funcgrad.draw.groups import Grouped
from funcgrad.draw.layout.layered import Box, Line, layered

TITLE, SMALL = 7.9, 6.65
"""Width of a character of headings, and of other lines, in a monospaced font."""
TITLE_HEIGHT, LINE_HEIGHT = 20.0, 15.0
PAD, HEADER = 16.0, 28.0
"""Between the border of a frame and what is inside, and above it."""

Port = tuple[str, str]
"""What goes through a border: the id of the node that it comes from, and the style."""


@dataclass(slots=True)
class Item:
    """What a box holds: a node, a closed or open group, the words on an edge, a port, or a reference to a node."""

    kind: str
    box: Box
    node: Node | None = None
    group: Group | None = None
    frame: Frame | None = None
    edge: Edge | None = None
    port: Port | None = None


@dataclass(slots=True)
class Link:
    """An edge, or the part of one that is in this frame.

    Attributes:
        line: where it runs.
        style: "gradient", "value" or "cut".
        leaves, enters: through which port of an open group, if it is one.
        turned: whether it runs upwards, against the order of time.
        plain: whether it ends without an arrow: at words or at a port.
    """

    line: Line
    style: str
    leaves: Port | None = None
    enters: Port | None = None
    turned: bool = False
    plain: bool = False


@dataclass(slots=True)
class Frame:
    """The inside of a group, from (0, 0) on, borders included."""

    group: Group
    items: list[Item] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0
    ports: dict[tuple[Port, bool], float] = field(default_factory=dict)
    """For each port, and whether it is at the top, its x."""


def picture(whole: Grouped, opened: Iterable[Group]) -> Frame:
    """Lay out a graph.

    Arguments:
        whole: the graph and its groups.
        opened: the groups whose inside is shown; those that are in closed ones do not matter.
    """
    shown = {id(g) for g in opened}
    frames = {id(g): Frame(g) for g in whole.root.groups() if g is whole.root or _visible(g, shown)}
    _distribute(whole, frames)
    for g in reversed(list(whole.root.groups())):
        if id(g) in frames:
            _lay_out(frames[id(g)], 0.0 if g is whole.root else HEADER)
    return frames[id(whole.root)]


def frames_of_all(whole: Grouped) -> dict[str, Frame]:
    """A layout of the inside of each group, by its id, in which the groups inside are closed."""
    found = {}
    groups = list(whole.root.groups())
    everything = {id(g): Frame(g) for g in groups}
    _distribute(whole, everything)
    for g in groups:
        frame = everything[id(g)]
        for item in frame.items:
            if item.group is not None:
                item.frame = None
                item.box.width, item.box.height = _closed_size(item.group)
        for link in frame.links:
            link.plain = frame.items[link.line.target].kind in ("words", "port")
        _lay_out(frame, 0.0 if g is whole.root else HEADER)
        found[g.id] = frame
    return found


def _visible(g: Group, shown: set[int]) -> bool:
    at: Group | None = g
    while at is not None and at.parent is not None:
        if id(at) not in shown:
            return False
        at = at.parent
    return True


def _distribute(whole: Grouped, frames: dict[int, Frame]) -> None:
    """Give each frame its items and the parts of edges that run in it."""
    chains: dict[int, list[Group]] = {}
    for g in whole.root.groups():
        chains[id(g)] = [*chains[id(g.parent)], g] if g.parent is not None else [g]
    between: dict[int, list[tuple]] = {key: [] for key in frames}
    for e in whole.edges:
        a, b = chains[id(whole.home[e.source])], chains[id(whole.home[e.target])]
        common = 0
        while common < min(len(a), len(b)) and a[common] is b[common]:
            common += 1
        common -= 1
        port = e.source, e.style
        for k in range(common, len(a)):
            if id(a[k]) in frames:
                inner: Group | None = a[k + 1] if k + 1 < len(a) else None
                leaves = port if inner is not None and id(inner) in frames else None
                start = inner if inner is not None else e.source
                if k > common:
                    between[id(a[k])].append((start, leaves, None, None, e))
                else:
                    to = b[k + 1] if k + 1 < len(b) else None
                    enters = port if to is not None and id(to) in frames else None
                    between[id(a[k])].append((start, leaves, to if to is not None else e.target, enters, e))
        for k in range(common + 1, len(b)):
            if id(b[k]) in frames:
                inner = b[k + 1] if k + 1 < len(b) else None
                enters = port if inner is not None and id(inner) in frames else None
                between[id(b[k])].append((None, None, inner if inner is not None else e.target, enters, e))
    nodes = {n.id: n for n in whole.root.nodes()}
    for key, frame in frames.items():
        _fill(frame, between[key], frames, nodes)


def _fill(frame: Frame, between: list[tuple], frames: dict[int, Frame], nodes: dict[str, Node]) -> None:
    """Make the items and links of a frame, in an order in which links run forwards."""
    top = {(e.source, e.style): None for start, _, _, _, e in between if start is None}
    bottom = {(e.source, e.style): None for _, _, end, _, e in between if end is None}
    words: dict[object, list[tuple[Edge, Item]]] = {}
    for start, _, end, _, e in between:
        if start is not None and end is not None and e.lines():
            words.setdefault(_key(end), []).append((e, Item("words", _words_box(e), edge=e)))
    number: dict[object, int] = {}
    for port in top:
        number["top", port] = len(frame.items)
        source = nodes[port[0]]
        frame.items.append(Item("port", Box(2.0, 0.0, _reference_width(short(source)), first=True), source, port=port))
    for c in frame.group.children:
        for e, item in words.get(_key(c), ()):
            number["words", id(e)] = len(frame.items)
            frame.items.append(item)
        number[_key(c)] = len(frame.items)
        if isinstance(c, Node):
            frame.items.append(Item("node", _node_box(c), node=c))
        else:
            inner = frames.get(id(c))
            size = _closed_size(c) if inner is None else (0.0, 0.0)
            frame.items.append(Item("group", Box(*size, name=_reference_width(c.title)), group=c, frame=inner))
    for port in bottom:
        number["bottom", port] = len(frame.items)
        frame.items.append(Item("port", Box(2.0, 0.0, last=True), port=port))
    seen = set()
    for start, leaves, end, enters, e in between:
        port = e.source, e.style
        a = number["top", port] if start is None else number[_key(start)]
        b = number["bottom", port] if end is None else number[_key(end)]
        label = number.get(("words", id(e))) if start is not None and end is not None else None
        stops = [a, b] if label is None else [a, label, b]
        for k, (u, v) in enumerate(itertools.pairwise(stops)):
            out, into = leaves if k == 0 else None, enters if v == b else None
            if u == v or (u, v, out, into, e.style) in seen:
                continue
            seen.add((u, v, out, into, e.style))
            line = Line(min(u, v), max(u, v), chain=(e.style, out))
            plain = frame.items[v].kind in ("words", "port") or frame.items[v].frame is not None
            frame.links.append(Link(line, e.style, out, into, u > v, plain))


def _key(x: Group | str | Node) -> object:
    return ("node", x) if isinstance(x, str) else ("node", x.id) if isinstance(x, Node) else id(x)


def _lay_out(frame: Frame, header: float) -> None:
    """Place everything in a frame whose inner frames are laid out."""
    for item in frame.items:
        if item.frame is not None:
            item.box.width, item.box.height = item.frame.width, item.frame.height
    for link in frame.links:
        inner = frame.items[link.line.source].frame
        if inner is not None and link.leaves is not None and not link.turned:
            link.line.start = inner.ports[link.leaves, False] - inner.width / 2
        inner = frame.items[link.line.target].frame
        if inner is not None and link.enters is not None and not link.turned:
            link.line.end = inner.ports[link.enters, True] - inner.width / 2
    boxes = [item.box for item in frame.items]
    width, height = layered(boxes, [link.line for link in frame.links])
    references = {link.line.reference: link.line.source for link in frame.links if link.line.reference is not None}
    for k in range(len(frame.items), len(boxes)):
        of = frame.items[references[k]]
        frame.items.append(Item("reference", boxes[k], of.node, of.group))
    inside = max(width, _wide(clipped(frame.group.title), TITLE) + 24.0 if header else 0.0)
    shift, down = PAD + (inside - width) / 2, PAD + header
    for b in boxes:
        b.x, b.y = b.x + shift, b.y + down
        if b.first:
            b.y = 0.0
    for link in frame.links:
        line = link.line
        line.bends = [(x + shift, t + down, b + down) for x, t, b in line.bends]
        line.leave, line.arrive = line.leave + down, line.arrive + down
    frame.width, frame.height = inside + 2 * PAD, height + 2 * PAD + header
    for item in frame.items:
        if item.kind == "port" and item.port is not None:
            if item.box.last:
                item.box.y = frame.height
            frame.ports[item.port, item.box.first] = item.box.x
    for link in frame.links:
        if frame.items[link.line.source].box.first and link.line.reference is None:
            link.line.leave = header
        if frame.items[link.line.target].box.last:
            link.line.arrive = frame.height


# Sizes of text.


def _wide(text: str, width: float) -> float:
    return width * sum([2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text])


def _node_box(n: Node) -> Box:
    lines = list(n.lines())
    width = max([_wide(clipped(n.heading), TITLE), *[_wide(clipped(text), SMALL) for _, text in lines]])
    height = TITLE_HEIGHT + LINE_HEIGHT * len(lines) + 10.0
    return Box(math.ceil(width + 24.0), height, name=_reference_width(short(n)))


def short(n: Node) -> str:
    """What a reference to a node calls it."""
    return n.name or n.title


def _words_box(e: Edge) -> Box:
    lines = e.lines()
    return Box(math.ceil(max([_wide(clipped(text), SMALL) for text in lines]) + 14.0), LINE_HEIGHT * len(lines) + 6.0)


def _reference_width(name: str) -> float:
    return math.ceil(_wide(clipped(name), SMALL) + 12.0)


def _closed_size(g: Group) -> tuple[float, float]:
    lines = closed_lines(g)
    width = max([_wide(clipped(g.title), TITLE) + 18.0, *[_wide(text, SMALL) for text in lines]])
    return math.ceil(width + 24.0), TITLE_HEIGHT + LINE_HEIGHT * len(lines) + 10.0


def closed_lines(g: Group) -> list[str]:
    """What a closed group says beside its title."""
    count = sum([times for n, times in g.all() if n.kind in (OPERATION, RESULT)])
    kept = g.kept
    return [f"{count} operation{'s' if count != 1 else ''}"] + ([f"keeps {size_text(kept)}"] if kept else [])
