"""A graph in the language of Graphviz: https://graphviz.org/doc/info/lang.html"""

from __future__ import annotations

from collections.abc import Iterator

from funcgrad.draw.graph import Node, clipped
from funcgrad.draw.group import Group
from funcgrad.draw.groups import Grouped
from funcgrad.draw.outline import Outline

_SHAPES = {
    "leaf": 'shape=box, style="rounded,filled", fillcolor="#dcecf8", color="#0072b2"',
    "operation": "shape=box",
    "result": 'shape=box, style=filled, fillcolor="#def3ec", color="#00795a", penwidth=2.5',
    "constant": 'shape=box, color="#a0a8b2"',
    "value": 'shape=box, style=filled, fillcolor="#fdebdf", color="#c04a00"',
}
_EDGES = {"gradient": "", "value": 'color="#a0a8b2"', "cut": 'style=dashed, color="#c04a00", fontcolor="#c04a00"'}


def dot(whole: Grouped, opened: list[Group], direction: str = "TD") -> str:
    """A digraph; open groups are clusters, closed ones are boxes.

    Arguments:
        whole: the graph and its groups.
        opened: the groups whose inside is shown.
        direction: in which the graph runs: "TD" (down), "BT", "LR" or "RL".
    """
    out = Outline(whole, opened)
    lines = ["digraph {", f"  rankdir={'TB' if direction == 'TD' else direction}", "  node [fontname=monospace]"]
    lines += [f"  {line}" for line in _inside(out, whole.root)]
    for source, target, e in out.edges():
        words = [f"label={_quoted(e.lines())}"] if e.lines() else []
        attributes = ", ".join(filter(None, [*words, _EDGES[e.style]]))
        lines.append(f"  {_name(source)} -> {_name(target)}" + (f" [{attributes}]" if attributes else ""))
    return "\n".join([*lines, "}"])


def _inside(out: Outline, root: Group) -> Iterator[str]:
    for depth, x, closing in out.walk(root):
        indent = "  " * depth
        if closing:
            yield f"{indent}}}"
        elif isinstance(x, Node):
            label = _quoted([x.heading, *[text for _, text in x.lines()]])
            yield f"{indent}{_name(x)} [label={label}, {_SHAPES[x.kind]}{_tip(x)}]"
        elif out.is_open(x):
            yield f'{indent}subgraph "cluster_{x.id}" {{'
            yield f"{indent}  label={_quoted([x.title])}"
        else:
            yield f"{indent}{_name(x)} [label={_quoted([x.title])}, shape=box3d]"


def _tip(n: Node) -> str:
    return "" if n.place is None else f", tooltip={_quoted([str(n.place)])}"


def _name(x: Node | Group) -> str:
    return _quoted([x.id])


def _quoted(lines: list[str]) -> str:
    r"""A quoted string: lines are parted by \n, quotes and backslashes are escaped."""
    return '"' + "\\n".join([clipped(x).replace("\\", "\\\\").replace('"', '\\"') for x in lines]) + '"'
