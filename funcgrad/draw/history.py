"""The history of tensors as a Mermaid flowchart: the graph of grad_fn nodes, and where it is cut.

What is drawn need only look like torch's nodes: `name()` and `next_functions`, and `variable` for the node where the
gradient of a leaf ends. Time runs downwards: arrows point the way the values went, gradients flow against them. A
dashed line is a cut: values went on there and gradients do not come back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def history(values: Mapping[str, tuple[str, Any]], cuts: Sequence[tuple[Any, str, Any]], direction: str = "TD") -> str:
    """Draw how named values came about.

    Arguments:
        values: for each name a line that describes the value, and the node that made it, None for one without history.
        cuts: (source, what cut it off, what came of it): values went that way and gradients do not come back. The ends
            are names or nodes; "" means that the source had no history to cut.
        direction: in which the graph runs: "TD" (down) or "LR" (to the right).

    Returns:
        Mermaid text: leaves that require grad are rounded, results are hexagons, values without history are boxes with
        dashed borders.
    """
    lines = [f"flowchart {direction}"]
    labels: dict[int, str] = {}
    order: list[Any] = []
    leaves = {id(node): name for name, (_, node) in values.items() if node is not None and hasattr(node, "variable")}
    for name, (words, node) in values.items():
        if node is None:
            lines.append(f'  {name}["{_quoted(name)}: {_quoted(words)}"]:::constant')
        elif id(node) in leaves and leaves[id(node)] == name:
            lines.append(f'  {name}(["{_quoted(name)}: {_quoted(words)}"])')
            labels[id(node)] = name
    for _, node in values.values():
        _collect(node, labels, order)
    for k, node in enumerate(order):
        labels[id(node)] = f"n{k}"
        if hasattr(node, "variable"):
            lines.append(f'  n{k}(["a leaf"])')
        else:
            lines.append(f'  n{k}["{node.name()}"]')
    for node in order:
        for source, number in node.next_functions:
            if source is not None:
                which = f"|output {number}|" if number else ""
                lines.append(f"  {labels[id(source)]} -->{which} {labels[id(node)]}")
    for name, (words, node) in values.items():
        if node is not None and id(node) not in leaves:
            lines.append(f'  {name}{{{{"{_quoted(name)}: {_quoted(words)}"}}}}')
            lines.append(f"  {labels[id(node)]} --> {name}")
    for source, reason, made in cuts:
        ends = [e if isinstance(e, str) else labels[id(e)] for e in (source, made)]
        lines.append(f'  {ends[0]} -. "cut by {reason}" .-> {ends[1]}' if reason else f"  {ends[0]} -.-> {ends[1]}")
    if any(node is None for _, node in values.values()):
        lines.append("  classDef constant stroke-dasharray: 4 3")
    return "\n".join(lines)


def _collect(node: Any, labels: dict[int, str], order: list[Any]) -> None:
    """Add the nodes that lead to this one, the oldest first, without recursion."""
    found: list[Any] = []
    seen = {id(n) for n in order} | set(labels)
    stack = [node] if node is not None and id(node) not in seen else []
    while stack:
        n = stack.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        found.append(n)
        stack += [s for s, _ in n.next_functions if s is not None and id(s) not in seen]
    order += sorted(found, key=lambda n: n._sequence_nr())


def _quoted(words: str) -> str:
    return words.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
