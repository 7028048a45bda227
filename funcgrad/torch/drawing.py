"""Pictures of what torch remembers: the graph behind tensors, and the places where it was cut.

A graph does not know what was cut off from it, so `watch` looks on while the code runs:

    with watch() as seen:
        y = x**2
        z = y.detach() * 2
    print(seen.mermaid(x=x, y=y, z=z))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.core.scope import Scope
from funcgrad.draw.history import history
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.node import next_edge
from funcgrad.torch.tensor.tensor import Tensor


class watch(Scope):  # noqa: N801  (a context manager, like no_grad)
    """Remembers, while it is on, where values left the graph: detach(), .data, numpy() and no_grad.

    Example:
        >>> from funcgrad import torch
        >>> from funcgrad.torch.drawing import watch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> with watch() as seen:
        ...     y = x * 2
        ...     z = y.detach()
        >>> print(seen.mermaid(x=x, y=y, z=z))
        flowchart TD
          x(["x: float32[2], requires grad"])
          z["z: float32[2]"]:::constant
          n0["MulBackward0"]
          x --> n0
          y{{"y: float32[2]"}}
          n0 --> y
          y -. "cut by detach()" .-> z
          classDef constant stroke-dasharray: 4 3
    """

    def __init__(self) -> None:
        self.flows: list[tuple[Any, str | None, Any]] = []  # (source, what cut it off or None, what was made)

    def __enter__(self) -> watch:
        self.before = state.watch
        self.entered += 1
        state.watch = self
        state.settle()
        return self

    def leave(self, *error: object) -> None:
        state.watch = self.before
        state.settle()
        self.entered -= 1

    def cut(self, reason: str, source: Any, made: Any) -> None:
        """Called where a value leaves the graph: `made` has the values of `source` and no way back to it."""
        self.flows.append((source, reason if isinstance(source, Tensor) and source.requires_grad else None, made))

    def operation(self, args: tuple, made: Any) -> None:
        """Called after every operation: notes operands that the graph does not."""
        for result in made if type(made) is tuple else (made,):
            for a in args:
                if isinstance(a, Tensor) and a.requires_grad:
                    if not result.requires_grad:
                        mode = "inference_mode" if state.inference else "no_grad"
                        self.flows.append((a, "a result without derivative" if state.grad else mode, result))
                elif isinstance(a, (Tensor, np.ndarray)):
                    self.flows.append((a, None, result))

    def mermaid(self, direction: str = "TD", **values: Any) -> str:
        """The graph of named tensors (and ndarrays) as Mermaid text, cuts dashed with their reason.

        Arguments:
            direction: in which the graph runs: "TD" (down) or "LR" (to the right).
            values: the tensors to show, by the names to show them with.

        Returns:
            Mermaid text. Constants without a name are left out; what cut on the way through them is said together.
        """
        shown = {name: (_words(v), _node(v)) for name, v in values.items()}
        names = {id(v): name for name, v in values.items()}
        drawn = _reachable([node for _, node in shown.values() if node is not None])
        after: dict[int, list[tuple[str | None, Any]]] = {}
        for source, reason, made in self.flows:
            after.setdefault(id(source), []).append((reason, made))
        lines: dict[tuple, None] = {}
        for source, _, _ in self.flows:
            start = names.get(id(source)) or (_node(source) if _node(source) in drawn else None)
            if start is not None:
                for reasons, end in _ends(source, after, names, drawn):
                    lines[start, " and ".join(dict.fromkeys(reasons)), end] = None
        return history(shown, list(lines), direction)


def _node(value: Any) -> Any:
    return next_edge(value) if isinstance(value, Tensor) else None


def _reachable(nodes: list) -> set:
    """All nodes that these lead to."""
    seen = set(nodes)
    order = list(seen)
    for node in order:  # the list grows while it is read
        for source, _ in node.next_functions:
            if source is not None and source not in seen:
                seen.add(source)
                order.append(source)
    return seen


def _ends(source: Any, after: dict, names: dict[int, str], drawn: set) -> list[tuple[tuple, Any]]:
    """Where the values of source went that the graph does not know of: (what cut them off, a name or a node)."""
    found = []
    pending: list[tuple[tuple, Any]] = [((), source)]
    while pending:
        reasons, value = pending.pop()
        for reason, made in after.get(id(value), ()):
            so_far = reasons if reason is None else (*reasons, reason)
            if id(made) in names and (_node(made) is None or hasattr(_node(made), "variable")):
                found.append((so_far, names[id(made)]))
            elif _node(made) is not None:
                if _node(made) in drawn:
                    found.append((so_far, _node(made)))
            else:
                pending.append((so_far, made))
    return found


def _words(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"ndarray {value.dtype}[{','.join(map(str, value.shape))}]"
    needs = ", requires grad" if value.is_leaf and value.requires_grad else ""
    return f"{value.dtype.name}[{','.join(map(str, value.shape))}]{needs}"
