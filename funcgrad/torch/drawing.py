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

from funcgrad.draw.history import history
from funcgrad.torch.modes import state
from funcgrad.torch.node import next_edge
from funcgrad.torch.tensor import Tensor


class watch:  # noqa: N801  (a context manager, like no_grad)
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
        self.cuts: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> watch:
        self.before, state.watch = state.watch, self
        return self

    def __exit__(self, *error: object) -> None:
        state.watch = self.before

    def cut(self, reason: str, sources: tuple, made: Any) -> None:
        """Called by operations: what was made of sources has no way back to them."""
        for result in made if type(made) is tuple else (made,):
            self.cuts += [(s, reason, result) for s in sources if isinstance(s, (Tensor, np.ndarray))]

    def mermaid(self, direction: str = "TD", **values: Any) -> str:
        """The graph of named tensors (and ndarrays) as Mermaid text, cuts dashed with their reason.

        Arguments:
            direction: in which the graph runs: "TD" (down) or "LR" (to the right).
            values: the tensors to show, by the names to show them with.

        Returns:
            Mermaid text. A cut that goes through values without a name is drawn between those that have one.
        """
        shown = {name: (_words(v), next_edge(v) if isinstance(v, Tensor) else None, False) for name, v in values.items()}
        names = {id(v): name for name, v in values.items()}
        lines: dict[tuple, None] = {}
        for source, reason, made in self.cuts:
            if id(made) in names:
                for name, reasons in self._named(source, names, (reason,)):
                    lines[name, " and ".join(dict.fromkeys(reversed(reasons))), names[id(made)]] = None
        return history(shown, list(lines), direction)

    def _named(self, source: Any, names: dict[int, str], reasons: tuple) -> list[tuple[str, tuple]]:
        """The named values behind one without a name, and what cut on the way."""
        if id(source) in names:
            return [(names[id(source)], reasons)]
        found = []
        for s, reason, made in self.cuts:
            if made is source:
                found += self._named(s, names, (*reasons, reason))
        return found


def _words(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"ndarray {value.dtype}[{','.join(map(str, value.shape))}]"
    needs = ", requires grad" if value.is_leaf and value.requires_grad else ""
    return f"{value.dtype.name}[{','.join(map(str, value.shape))}]{needs}"
