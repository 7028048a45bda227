"""A tape as a Mermaid flowchart, which code hosts and notebooks render: https://mermaid.js.org/syntax/flowchart.html"""

from __future__ import annotations

import re

from funcgrad.core.tape import Equation, Tape
from funcgrad.draw.text import _type as type_of
from funcgrad.draw.text import kept, literal, names, operands, text


def mermaid(tape: Tape, direction: str = "TD") -> str:
    """The graph of a tape: inputs rounded, operations as boxes, results as hexagons.

    Arguments:
        tape: any tape.
        direction: in which the graph runs: "TD" (down) or "LR" (to the right).

    Returns:
        Mermaid text.

    Raises:
        ValueError: another direction.

    Example:
        >>> print(fg.make_tape(lambda x: fnp.sin(x) * 2.0)(1.0).mermaid())
        flowchart TD
          a(["a: float64[]"])
          b["b = sin<br/>float64[]"]
          a --> b
          c["c = multiply · 2.0<br/>float64[]"]
          b --> c
          out0{{"result"}}
          c --> out0
    """
    if direction not in ("TD", "TB", "BT", "LR", "RL"):
        raise ValueError(f"direction must be 'TD', 'BT', 'LR' or 'RL', got {direction!r}")
    label = names(tape)
    lines = [f"flowchart {direction}"]
    lines += [f'  {_id(label[i])}(["{label[i]}: {type_of(i)}"])' for i in tape.inputs]
    for e in tape.equations:
        constants = [
            w
            for w, i in zip(operands(e, label), e.operands(), strict=True)
            if type(i) is not Equation and i is not None
        ]
        details = constants + [f"{k}={literal(v)}" for k, v in e.params.items()]
        note = f"<br/>keeps {kept(e)}" if not tape.symbolic and kept(e) else ""
        title = f"{label[e]} = {e.primitive.name}" + "".join(f" · {d}" for d in details)
        lines.append(f'  {_id(label[e])}["{_escape(title)}<br/>{type_of(e)}{_escape(note)}"]')
        sources = [i for i in e.inputs if type(i) is Equation and i in label]
        lines += [f"  {_id(label[i])} --> {_id(label[e])}" for i in sources]
    for k, o in enumerate(tape.outputs):
        lines.append(f'  out{k}{{{{"result{"" if len(tape.outputs) == 1 else f" {k}"}"}}}}')
        if type(o) is Equation:
            lines.append(f"  {_id(label[o])} --> out{k}")
    return "\n".join(lines)


def _id(name: str) -> str:
    return f"{name}_" if name in ("end", "graph", "subgraph") else name  # words that Mermaid keeps for itself


def _escape(words: str) -> str:
    return re.sub("<(?!br/>)", "&lt;", words.replace("&", "&amp;").replace('"', "&quot;"))


def mimebundle(tape: Tape, include: object = None, exclude: object = None) -> dict[str, str]:
    """What a notebook shows for a tape: the drawing where it can, the text elsewhere."""
    return {"text/plain": text(tape), "text/vnd.mermaid": mermaid(tape)}
