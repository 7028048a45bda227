"""Pictures of what torch remembers: the graph behind tensors, and the places where it was cut.

A graph does not know what was cut off from it, so `watch` looks on while the code runs:

    with watch() as seen:
        y = x**2
        z = y.detach() * 2
    print(seen.mermaid(x=x, y=y, z=z))
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from funcgrad.core.scope import Scope
from funcgrad.draw.drawing import Drawing
from funcgrad.draw.graph import CONSTANT, LEAF, OPERATION, RESULT, Edge, Graph, Node
from funcgrad.draw.history import history
from funcgrad.draw.tapes import bytes_of
from funcgrad.draw.values import alarm_text, grad_text, type_of, value_text
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.node import AccumulateGrad, next_edge
from funcgrad.torch.tensor.tensor import Tensor


def draw(*tensors: Any, depth: int | None = None, fold: bool = True, **named: Any) -> Drawing:
    """A picture of how tensors came about: the nodes of grad_fn, leaves, gradients, and what is kept for backward.

    Arguments:
        tensors: whose history is drawn. They are called as the caller's variables are.
        depth: how deep groups are open; by default as deep as about sixty boxes allow.
        fold: whether parts that follow one another and do the same are drawn once.
        named: further ones, by the names to show them with.

    Returns:
        A `Drawing`, which notebooks show; `save("loss.svg")` writes it.

    Raises:
        TypeError: a value is no tensor.

    Example:
        >>> from funcgrad import torch
        >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
        >>> loss = (x * 2).sum()
        >>> loss.backward()
        >>> print(torch.draw(loss, x=x).mermaid())
        flowchart TD
          n0(["x<br/>float32[2]<br/>[1, 2]<br/>grad [2, 2]"])
          n1["MulBackward0<br/>float32[2]"]
          n2{{"loss = SumBackward0<br/>float32[]<br/>6"}}
          n0 --> n1
          n1 --> n2
    """
    frame = sys._getframe(1)
    known = _names_in(frame.f_globals) | _names_in(frame.f_locals)
    values = {
        known.get(id(t), f"tensor {k}" if len(tensors) > 1 else "result"): t for k, t in enumerate(tensors)
    } | named
    for name, value in values.items():
        if not isinstance(value, Tensor | np.ndarray):
            raise TypeError(f"draw takes tensors, got {name} of type {type(value).__name__}")
    title = ", ".join(values) or "nothing"
    return Drawing(_Maker(values, known).graph(title), depth=depth, fold=fold)


def _names_in(variables: Mapping[str, Any]) -> dict[int, str]:
    """The names of tensors among variables, and of those in modules, lists and dicts there; by the tensors' ids."""
    found: dict[int, str] = {}
    for name, value in list(variables.items()):
        if name[:1] == "_":
            continue
        for path, t in _tensors_in(value):
            found.setdefault(id(t), name + path)
    return found


def _tensors_in(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Tensor):
        yield "", value
    elif isinstance(value, dict):
        yield from ((f"[{k!r}]", v) for k, v in value.items() if isinstance(v, Tensor))
    elif isinstance(value, list | tuple):
        yield from ((f"[{k}]", v) for k, v in enumerate(value) if isinstance(v, Tensor))
    elif not isinstance(value, type) and hasattr(value, "named_parameters"):
        yield from ((f".{path}", v) for path, v in value.named_parameters())


class _Maker:
    """Makes the graph of named tensors.

    Arguments:
        values: the tensors and ndarrays, by name.
        known: names of other tensors, by their ids.
    """

    def __init__(self, values: Mapping[str, Any], known: Mapping[int, str]) -> None:
        self.values, self.known = values, known
        self.names: dict[Any, dict[int, str]] = {}  # by node, of its outputs
        self.tensors: dict[Any, Any] = {}
        for name, value in values.items():
            node = _node(value)
            if node is not None:
                self.names.setdefault(node, {}).setdefault(value._nr, name)
                self.tensors.setdefault(node, value)

    def graph(self, title: str) -> Graph:
        made = sorted(_reachable(self.names), key=lambda n: n.number)
        leaves = [n for n in made if isinstance(n, AccumulateGrad)]
        made = [n for n in made if not isinstance(n, AccumulateGrad)]
        ids = {n: f"n{k}" for k, n in enumerate([*leaves, *made])}
        nodes = [self._leaf(n, ids[n]) for n in leaves] + [self._operation(n, ids[n]) for n in made]
        edges = [e for n in made for e in _edges(n, ids)]
        for k, (name, value) in enumerate(self.values.items()):
            if _node(value) is None:
                nodes.append(_constant(f"c{k}", name, value))
        return Graph(nodes, edges, title)

    def _leaf(self, node: Any, id: str) -> Node:
        t = node.variable
        name = self.names.get(node, {}).get(0) or self.known.get(_id(t)) or "a leaf"
        found = Node(id, name, LEAF, name, type_of(t._value.shape, t._value.dtype))
        _describe(found, t)
        return found

    def _operation(self, node: Any, id: str) -> Node:
        names = self.names.get(node, {})
        found = Node(id, node.name().rpartition("::")[2], RESULT if names else OPERATION, ", ".join(names.values()))
        found.type = type_of(node.shape, node.dtype)
        found.kept = bytes_of(node.residuals or ())
        if node in self.tensors:
            _describe(found, self.tensors[node])
        return found


def _id(t: Any) -> int:
    return id(t)


def _describe(found: Node, t: Any) -> None:
    """The value and the gradient of a tensor."""
    value = t._value
    if isinstance(value, np.ndarray | np.generic):
        found.value, found.alarm = value_text(value), alarm_text(value)
    grad = t._grad
    if grad is not None and isinstance(grad._value, np.ndarray | np.generic):
        found.grad = grad_text(grad._value)
        found.alarm = found.alarm or (alarm_text(grad._value) and f"grad: {alarm_text(grad._value)}")


def _edges(node: Any, ids: Mapping[Any, str]) -> Iterable[Edge]:
    for source, number in dict.fromkeys(node.next_functions):
        if source is not None:
            yield Edge(ids[source], ids[node], f"output {number}" if number else "")


def _constant(id: str, name: str, value: Any) -> Node:
    array = value if isinstance(value, np.ndarray) else value._value
    kind = "ndarray " if isinstance(value, np.ndarray) else ""
    return Node(id, name, CONSTANT, name, kind + type_of(array.shape, array.dtype), value_text(array))


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


def _reachable(nodes: Iterable) -> set:
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
