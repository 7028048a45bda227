"""Drawings on pages: Mermaid blocks become pictures of our own, and our pictures stand in the page itself.

In the page they take its colours, light or dark, and show the line of code when the pointer is on them.
"""

import html
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from funcgrad.draw.drawing import Drawing
from funcgrad.draw.graph import Edge, Graph, Node, Place
from funcgrad.draw.svg import style

NODE = re.compile(r'^(\w+)(\(\[|\{\{|\[\[|\[)"(.*?)"(?:\]\)|\}\}|\]\]|\])(?::::(\w+))?$')
EDGE = re.compile(r'^(\w+) (?:-->|(-\.->)|-->\|"(.*)"\||-\. "(.*)" \.->) (\w+)$')
GROUP = re.compile(r'^subgraph \w+\["(.*)"\]$')
KINDS = {"([": "leaf", "{{": "result"}
OURS = '<svg xmlns="http://www.w3.org/2000/svg" class="funcgrad"'


class Mermaid(SphinxDirective):
    """A block of Mermaid text, of the kind that the drawings of funcgrad print."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The picture."""
        try:
            return [inline(Drawing(graph(self.content), fold=False).svg())]
        except ValueError as error:
            raise self.error(str(error)) from None


def graph(lines: list[str]) -> Graph:
    """A flowchart as a graph.

    Raises:
        ValueError: a line is of another kind.
    """
    found: dict[str, Node] = {}
    edges: list[Edge] = []
    groups: list[str] = []
    for line in map(str.strip, lines):
        if node := NODE.match(line):
            name, shape, words, kind = node.groups()
            title, *notes = words_of(words)
            kind = kind or KINDS.get(shape, "operation")
            found[name] = Node(name, title, kind, notes=tuple(notes), group=tuple(groups))
        elif edge := EDGE.match(line):
            edges.append(arrow(*edge.groups()))
        elif group := GROUP.match(line):
            groups.append(*words_of(group[1]))
        elif line == "end":
            groups.pop()
        elif line and not line.startswith(("flowchart ", "classDef ")):
            raise ValueError(f"a drawing of funcgrad has no line such as {line!r}")
    before: dict[str, list[str]] = {name: [] for name in found}
    for e in edges:
        before[e.target].append(e.source)
    return Graph([found[name] for name in TopologicalSorter(before).static_order()], edges, "a graph")


def arrow(source: str, constant: str | None, label: str | None, cut: str | None, target: str) -> Edge:
    """An edge, of which the words of a cut may end with its line of code."""
    if cut is None:
        return Edge(source, target, " ".join(words_of(label or "")), gradient=not constant)
    reason, *rest = words_of(cut)
    place = re.match(r"(\S+):(\d+)(?:: (.*))?$", rest[0]) if rest else None
    there = Place(place[1], int(place[2]), "", place[3] or "") if place else None
    return Edge(source, target, cut=re.sub(r"^cut(:| by) ", "", reason), place=there)


def words_of(text: str) -> list[str]:
    """The lines of a label."""
    return [html.unescape(line) for line in text.split("<br/>")]


# Pictures in pages


def inline(svg: str, alt: str = "") -> nodes.raw:
    """A picture of ours as a part of the page, whose style sheet is that of the site."""
    text = re.sub(r"<style>.*?</style>", "", svg, count=1, flags=re.S)
    words = f"<title>{html.escape(alt)}</title>"
    text = re.sub(r"<title>.*?</title>", lambda m: words if alt else m[0], text, count=1, flags=re.S)
    return nodes.raw("", f'<div class="drawing">{text}</div>', format="html")


def inline_pictures(app: Sphinx, doctree: nodes.document) -> None:
    """The pictures of ours that a page shows."""
    for image in list(doctree.findall(nodes.image)):
        path = Path(doctree["source"]).parent / image["uri"]
        if path.suffix == ".svg" and path.exists() and (text := path.read_text()).startswith(OURS):
            image.replace_self(inline(text, image.get("alt", "")))
    for paragraph in list(doctree.findall(nodes.paragraph)):
        drawings = [child for child in paragraph.children if isinstance(child, nodes.raw)]
        if drawings and all(child in drawings or not child.astext().strip() for child in paragraph.children):
            paragraph.replace_self(drawings if len(drawings) == 1 else [row_of([[d] for d in drawings])])


def side_by_side(app: Sphinx, doctree: nodes.document) -> None:
    """Tables with one row of drawings become drawings with headings, one below the other where the screen is narrow."""
    for table in list(doctree.findall(nodes.table)):
        head, *body = table.findall(nodes.row)
        if len(body) == 1 and all(list(entry.findall(nodes.raw)) for entry in body[0]):
            pairs = zip(head.children, body[0].children, strict=True)
            table.replace_self(row_of([[*above.children, *entry.children] for above, entry in pairs]))


def row_of(columns: list[list[nodes.Node]]) -> nodes.container:
    """Columns where there is room, and below each other where not."""
    return nodes.container("", *[nodes.container("", *c) for c in columns], classes=["side-by-side"])


def style_sheet() -> str:
    """The style sheet of pictures, where dark means that the page is dark."""
    light, dark = style().split("@media (prefers-color-scheme:dark)")

    def under(theme: str) -> str:
        return "".join(scoped(dark.strip().removeprefix("{").removesuffix("}"), f'body[data-theme="{theme}"]'))

    return f"{light}\n{under('dark')}\n@media (prefers-color-scheme: dark) {{\n{under('auto')}}}\n"


def scoped(rules: str, where: str) -> Iterator[str]:
    """Rules that hold within an element."""
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", rules):
        yield ", ".join(f"{where} {s.strip()}" for s in selectors.split(",")) + f" {{{body}}}\n"
