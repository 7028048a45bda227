"""A picture as SVG: one file without scripts, fonts or references to others, for light and dark surroundings."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.sax.saxutils import escape

from funcgrad.draw.graph import Node, clipped, safe
from funcgrad.draw.group import Group
from funcgrad.draw.layout.layered import Line
from funcgrad.draw.picture import LINE_HEIGHT, TITLE, TITLE_HEIGHT, Frame, Item, Link, closed_lines, short

# The colours are those of Okabe and Ito, which most people with a colour vision deficiency can tell apart; and no
# meaning is in colour alone: leaves are rounded, results have a heavy border, cuts are dashed.
_LIGHT = {
    "page": "#ffffff", "ink": "#1c1f23", "soft": "#5c6570", "line": "#59636e", "faint": "#8a929c", "box": "#f4f6f8",
    "leaf": "#dcecf8", "leafline": "#0072b2", "result": "#def3ec", "resultline": "#00795a",
    "warn": "#c04a00", "warnbox": "#fdebdf", "grad": "#0067a3",
}  # fmt: skip  # in rows
_DARK = {
    "page": "#14171a", "ink": "#e8eaed", "soft": "#a3acb6", "line": "#929ca7", "faint": "#7d8791", "box": "#22272c",
    "leaf": "#12344c", "leafline": "#56b4e9", "result": "#0e3b30", "resultline": "#2fc39a",
    "warn": "#ff8f4d", "warnbox": "#47250f", "grad": "#7cc4f0",
}  # fmt: skip
_RULES = """
.page{fill:page} text{fill:ink} .type,.kept,.note,.soft{fill:soft} .grad{fill:grad} .alarm,.warn{fill:warn}
rect.operation,rect.group{fill:box;stroke:line} rect.leaf{fill:leaf;stroke:leafline}
rect.result{fill:result;stroke:resultline} rect.constant{fill:page;stroke:faint} rect.value{fill:warnbox;stroke:warn}
rect.frame{stroke:line} rect.words{fill:page} rect.reference{fill:page;stroke:faint} .heading{stroke:page}
path.gradient{stroke:line} path.value{stroke:faint} path.cut{stroke:warn}
.tip-gradient{fill:line} .tip-value{fill:faint} .tip-cut{fill:warn}
"""
_SHAPE = """
text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
text{font-size:11px}
text.title{font-size:13px;font-weight:600} .alarm{font-weight:600}
.heading{stroke-width:4px;stroke-linejoin:round;paint-order:stroke}
rect{stroke-width:1.2} rect.result{stroke-width:2.6} rect.page,rect.words{stroke:none}
rect.frame{fill:none} rect.back{fill:#808a96;fill-opacity:.09;stroke:none}
path.gradient,path.value,path.cut{fill:none;stroke-width:1.5} path.value{stroke-width:1.2}
path.cut{stroke-dasharray:6 4;stroke-width:2}
"""


LEGEND = (
    "Time runs down, gradients come back up. Rounded: a leaf. Heavy border: a result. Dashed: a cut, where values went "
    "on and no gradient comes back."
)


def style() -> str:
    """The style sheet of pictures, which says nothing about anything else on a page."""
    light, dark = (_scoped(_coloured(_RULES, colours)) for colours in (_LIGHT, _DARK))
    return f"{_scoped(_SHAPE)}{light}@media (prefers-color-scheme:dark){{{dark}}}"


def _coloured(rules: str, colours: dict[str, str]) -> str:
    for name, colour in colours.items():
        rules = rules.replace(f":{name}}}", f":{colour}}}").replace(f":{name};", f":{colour};")
    return rules


def _scoped(rules: str) -> str:
    found = []
    for rule in rules.replace("\n", " ").split("}"):
        selectors, _, body = rule.strip().partition("{")
        if body:
            found.append(",".join(f".funcgrad {s}" for s in selectors.split(",")) + f"{{{body}}}")
    return "".join(found)


def svg(frame: Frame, title: str) -> str:
    """A whole picture."""
    width, height = number(frame.width), number(frame.height)
    title = escape(safe(title))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="funcgrad" width="{width}" height="{height}" '
    head += f'viewBox="0 0 {width} {height}" role="img">'
    body = "".join(_inside(frame))
    page = f'<rect class="page" width="{width}" height="{height}" rx="8"/>'
    return f"{head}<title>{title}</title><style>{style()}</style>{page}{body}</svg>\n"


def _inside(frame: Frame) -> Iterator[str]:
    """What is drawn of a frame and those in it, edges below boxes. Without recursion."""
    waiting: list[Frame | str] = [frame]
    while waiting:
        f = waiting.pop()
        if isinstance(f, str):
            yield f
            continue
        later: list[Frame | str] = [drawn_link(f, link) for link in f.links]
        for item in f.items:
            x, y = item.box.x - item.box.width / 2, item.box.y - item.box.height / 2
            later.append(f'<g transform="translate({number(x)} {number(y)})">')
            inner = item.frame
            later += [drawn_item(item)] if inner is None else [border(inner), inner, heading(inner)]
            later.append("</g>")
        waiting += reversed(later)


def border(frame: Frame) -> str:
    """The border of an open group."""
    size = f'width="{number(frame.width)}" height="{number(frame.height)}" rx="10"'
    return f'<rect class="back" {size}/><rect class="frame" {size}/>'


def heading(frame: Frame, sign: str = "") -> str:
    """The title of an open group, after a sign; it stands where no edge enters."""
    text = f"{sign}{clipped(frame.group.title)}"
    stops = [0.0, *sorted([x for (_, top), x in frame.ports.items() if top and not sign]), frame.width]
    gaps = [a for a, b in pairwise(stops) if b - a >= len(text) * TITLE + 20.0]
    place = number((gaps[0] if gaps else 0.0) + 12.0)
    return f'<text class="title heading soft" x="{place}" y="19">{escape(text)}</text>'


def drawn_item(item: Item) -> str:
    """A box, at (0, 0)."""
    if item.kind == "port":
        return ""
    if item.kind == "words":
        return _words(item)
    if item.kind == "reference":
        return _reference(item)
    return closed(item.group, item) if item.group is not None else _node(item)


def _node(item: Item) -> str:
    n: Node = item.node  # type: ignore[assignment]  # for the item is a node
    round = 16 if n.kind == "leaf" else 3 if n.kind in ("operation", "result") else 0
    lines = [("title", n.heading), *n.lines()]
    return f"<g class='node'><title>{escape(hover(n))}</title>{_rect(n.kind, item, round)}{_text(item, lines)}</g>"


def closed(g: Group, item: Item) -> str:
    """A closed group: a box with another one behind it."""
    w, h = number(item.box.width), number(item.box.height)
    behind = f'<rect class="group" x="4" y="4" width="{w}" height="{h}" rx="8"/>'
    lines = [("title", f"▸ {g.title}"), *[("type", line) for line in closed_lines(g)]]
    return f"<g>{behind}{_rect('group', item, 8)}{_text(item, lines)}</g>"


def _words(item: Item) -> str:
    edge = item.edge
    lines = edge.lines() if edge is not None else []
    role = "warn" if edge is not None and edge.cut is not None else "soft"
    return _rect("words", item, 4) + _text(item, [(role, line) for line in lines], LINE_HEIGHT - 1)


def _reference(item: Item) -> str:
    name = short(item.node) if item.node is not None else item.group.title if item.group is not None else ""
    hint = hover(item.node) if item.node is not None else name
    title = f"<title>{escape(safe(hint))}</title>"
    return f"<g>{title}{_rect('reference', item, 9)}{_text(item, [('soft', name)], 13)}</g>"


def hover(n: Node) -> str:
    """What is said about a node when somebody points at it."""
    lines = [n.heading, *[text for _, text in n.lines()]]
    if n.place is not None:
        lines.append(str(n.place))
        if n.place.function:
            lines.append(f"in {n.place.function}")
    return "\n".join([safe(line) for line in lines])


def _rect(shape: str, item: Item, round: float) -> str:
    size = f'width="{number(item.box.width)}" height="{number(item.box.height)}"'
    return f'<rect class="{shape}" {size} rx="{number(round)}"/>'


def _text(item: Item, lines: list[tuple[str, str]], first: float = TITLE_HEIGHT) -> str:
    middle, y, found = number(item.box.width / 2), first, []
    for role, text in lines:
        place = f'class="{role}" x="{middle}" y="{number(y)}" text-anchor="middle"'
        found.append(f"<text {place}>{escape(clipped(text))}</text>")
        y += LINE_HEIGHT
    return "".join(found)


def drawn_link(frame: Frame, link: Link) -> str:
    """An edge, with its tip."""
    shape = link.style
    path, (x, y), (x0, y0) = route(frame, link.line)
    tip = ""
    if not link.plain or link.turned:
        tip = f"M{number(x - 4)} {number(y - 8)}L{number(x)} {number(y)}L{number(x + 4)} {number(y - 8)}z"
        if link.turned:
            tip = f"M{number(x0 - 4)} {number(y0 + 8)}L{number(x0)} {number(y0)}L{number(x0 + 4)} {number(y0 + 8)}z"
        tip = f'<path class="tip-{shape}" d="{tip}"/>'
    return f'<path class="{shape}" d="{path}"/>{tip}'


def route(frame: Frame, line: Line) -> tuple[str, tuple[float, float], tuple[float, float]]:
    """The path of an edge, its end and its beginning: straight within layers, a curve between them."""
    source = frame.items[line.source if line.reference is None else line.reference].box
    target = frame.items[line.target].box
    x, y = source.x + (line.start or 0.0), source.y + source.height / 2
    begin, end = (x, y), (target.x + (line.end or 0.0), target.y - target.height / 2)
    parts = [f"M{number(x)} {number(y)}V{number(line.leave)}"]
    y = line.leave
    for bend, top, bottom in [*line.bends, (end[0], line.arrive, end[1])]:
        middle = number((y + top) / 2)
        parts.append(f"C{number(x)} {middle} {number(bend)} {middle} {number(bend)} {number(top)}V{number(bottom)}")
        x, y = bend, bottom
    return "".join(parts), end, begin


def number(x: float) -> str:
    """A coordinate, short."""
    return f"{x:.1f}".removesuffix(".0")
