"""A graph as a Mermaid flowchart, which code hosts and notebooks render: https://mermaid.js.org/syntax/flowchart.html"""

from __future__ import annotations

import re

from funcgrad.draw.graph import Node, clipped
from funcgrad.draw.group import Group
from funcgrad.draw.groups import Grouped
from funcgrad.draw.outline import Outline

_SHAPES = {"leaf": ('(["', '"])'), "result": ('{{"', '"}}')}
_CLASSES = {"constant": "stroke-dasharray: 4 3", "value": "stroke: #c04a00, stroke-dasharray: 4 3"}
_TAKEN = {"end", "graph", "subgraph", "flowchart", "style", "class", "classDef", "click", "default", "linkStyle"}
"""Words that Mermaid keeps for itself."""


def mermaid(whole: Grouped, opened: list[Group], direction: str = "TD") -> str:
    """A flowchart: leaves rounded, operations as boxes, results as hexagons, open groups as subgraphs, cuts dashed.

    Arguments:
        whole: the graph and its groups.
        opened: the groups whose inside is shown.
        direction: in which the graph runs: "TD" (down), "BT", "LR" or "RL".
    """
    out = Outline(whole, opened)
    lines = [f"flowchart {direction}"]
    names: dict[str, str] = {}
    classes = []
    for depth, x, closing in out.walk(whole.root):
        indent = "  " * (depth + 1)
        name = names.setdefault(x.id, _name(x.id, names))
        if closing:
            lines.append(f"{indent}end")
        elif isinstance(x, Node):
            start, end = _SHAPES.get(x.kind, ('["', '"]'))
            lines.append(f"{indent}{name}{start}{_escaped([x.heading, *[text for _, text in x.lines()]])}{end}")
            if x.kind in _CLASSES:
                lines[-1] += f":::{x.kind}"
                classes.append(x.kind)
        elif out.is_open(x):
            lines.append(f'{indent}subgraph {name}["{_escaped([x.title])}"]')
        else:
            lines.append(f'{indent}{name}[["{_escaped([x.title])}"]]')
    for source, target, e in out.edges():
        words = _escaped(e.lines())
        ends = names[source.id], names[target.id]
        if e.cut is not None:
            lines.append(f'  {ends[0]} -. "{words}" .-> {ends[1]}')
        else:
            lines.append(f'  {ends[0]} -->|"{words}"| {ends[1]}' if words else f"  {ends[0]} --> {ends[1]}")
    lines += [f"  classDef {kind} {_CLASSES[kind]}" for kind in dict.fromkeys(classes)]
    return "\n".join(lines)


def _name(id: str, names: dict[str, str]) -> str:
    """A name that Mermaid takes, which no other node has."""
    name = re.sub(r"\W", "_", id, flags=re.ASCII) or "_"
    taken = set(names.values()) if name != id else ()
    while name in _TAKEN or name in taken:
        name += "_"
    return name


def _escaped(lines: list[str]) -> str:
    return "<br/>".join(
        [
            clipped(x).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")
            for x in lines
        ]
    )
