"""`torch.draw`: pictures of how tensors came about, and of where gradients were cut off.

The nodes of `grad_fn` are what backward will visit. What was cut off from them they do not know; that, and the lines of
the program, the journal remembers (tensor/journal.py).
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from operator import attrgetter
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from funcgrad.draw.drawing import Drawing
from funcgrad.draw.flow import reaches
from funcgrad.draw.graph import CONSTANT, LEAF, OPERATION, RESULT, VALUE, Edge, Graph, Node, Place, without_common_group
from funcgrad.draw.sources import names_by_line
from funcgrad.draw.tapes import bytes_of
from funcgrad.draw.values import alarm_text, grad_text, type_of, value_text
from funcgrad.torch.tensor import journal
from funcgrad.torch.tensor.node import AccumulateGrad, next_edge
from funcgrad.torch.tensor.tensor import Tensor

_number = attrgetter("number")
_NEAR = 200
"""Operations that are looked at to find out whether what is written into a leaf comes of it."""
MOST = 20_000
"""Operations that are followed back at most."""


def draw(*tensors: Any, depth: int | None = None, fold: bool = True, **named: Any) -> Drawing:
    """A picture of how tensors came about: the nodes of grad_fn, leaves, gradients, and what is kept for backward.

    Where values went on and no gradient comes back, because of detach(), numpy(), no_grad and the like, the edge is
    dashed and says why, and in which line.

    Arguments:
        tensors: whose history is drawn. They are called as the caller's variables are.
        depth: how deep modules and functions are open; by default as deep as about sixty boxes allow.
        fold: whether parts that follow one another and do the same are drawn once.
        named: further ones, by the names to show them with; ndarrays, too.

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
    return drawing(tensors, [frame.f_globals, frame.f_locals], frame, named, depth=depth, fold=fold)


def drawing(
    tensors: tuple,
    scopes: Iterable[Mapping[str, Any]],
    frame: FrameType | None,
    named: Mapping[str, Any],
    *,
    depth: int | None = None,
    fold: bool = True,
) -> Drawing:
    """As `draw`, with the variables by which tensors are called.

    Arguments:
        tensors, named, depth, fold: as in `draw`.
        scopes: the variables, the innermost last.
        frame: that of the caller.
    """
    variables = {name: t for scope in scopes for name, t in _tensors_among(scope)}
    called = {id(t): name for name, t in variables.items()}
    drawn = {called.get(id(t), f"tensor {k}" if len(tensors) > 1 else "result"): t for k, t in enumerate(tensors)}
    drawn |= dict(named)
    for name, value in drawn.items():
        if not isinstance(value, Tensor | np.ndarray):
            raise TypeError(f"draw takes tensors, got {name} of type {type(value).__name__}")
    graph = _Maker(drawn, variables, set(_functions(frame))).graph(", ".join(drawn) or "nothing")
    return Drawing(graph, depth=depth, fold=fold)


def _functions(frame: FrameType | None) -> Iterator[str]:
    """The functions that are running, which are no groups: the whole picture is in them."""
    while frame is not None:
        yield frame.f_code.co_qualname
        frame = frame.f_back


def _tensors_among(variables: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors among variables, with those in modules, lists and dicts there, by the expressions that give them."""
    for name, value in list(variables.items()):
        if name[:1] != "_":
            for path, t in _tensors_in(value):
                yield name + path, t


def _tensors_in(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Tensor):
        yield "", value
    elif isinstance(value, dict):
        yield from ((f"[{k!r}]", v) for k, v in value.items() if isinstance(v, Tensor))
    elif isinstance(value, list | tuple):
        yield from ((f"[{k}]", v) for k, v in enumerate(value) if isinstance(v, Tensor))
    elif not isinstance(value, ModuleType):
        yield from ((f".{path}", v) for path, v in _parameters(value))
        for name, held in list(getattr(value, "__dict__", {}).items()):  # such as the model of a trainer
            yield from ((f".{name}.{path}", v) for path, v in _parameters(held))


def _parameters(value: Any) -> Iterable[tuple[str, Any]]:
    """The parameters of a module with their names, nothing of other values."""
    is_module = callable(getattr(type(value), "named_parameters", None))
    return value.named_parameters() if is_module else ()


class _Maker:
    """Follows tensors back, through the nodes of the graph and what the journal knows, and makes a Graph of it.

    Each operation has a number, which the node and the entry of the journal share.

    Arguments:
        drawn: the tensors and ndarrays to draw, by name.
        variables: other tensors of the caller, by name.
        around: functions that are no groups.
    """

    def __init__(self, drawn: Mapping[str, Any], variables: Mapping[str, Any], around: set[str]) -> None:
        self.around = around
        self.nodes: dict[int, Any] = {}  # of the graph
        self.entries: dict[int, Any] = {}  # of the journal, for all that it knows of
        self.names: dict[int, str] = {}
        self.tensors: dict[int, Any] = {}
        self.loose: dict[str, Any] = {}  # values without a history
        self.asked: set[int] = set()
        self.links: dict[int, list[tuple]] = {}
        self.prepared: set[int] = set()  # what leaves were made of
        self.arrived: dict[int, list[int]] = {}  # for each number those of values that came through Python or NumPy
        self.writes = journal.writes()
        self.written: dict[int, tuple[int, ...]] = {}  # for leaves the numbers of what was written into them
        self.departures: dict[tuple[str, str], list[Any]] = {}  # by file and function
        for d in journal.departures():
            if d.place is not None:
                self.departures.setdefault((d.place.file, _function(d.place)), []).append(d)
        for name, value in variables.items():
            with suppress(RuntimeError):  # a view that was written into in a forbidden way has no history to tell
                self._name(name, value)
        for name, value in drawn.items():
            number = self._name(name, value, asked=True)
            if number is None:
                self.loose[name] = value
        self._follow(self.asked)

    def _name(self, name: str, value: Any, asked: bool = False) -> int | None:
        """Remember what a value is called; gives its number, None if it has no history."""
        node = next_edge(value) if isinstance(value, Tensor) else None
        entry = value._entry if isinstance(value, Tensor) else journal.lent(value)
        number = self._number(node) if node is not None else entry
        if not number or (node is None and journal.find(number) is None):
            return None
        if asked:
            self.asked.add(number)
            if node is not None:
                self.nodes[number] = node
        if asked or number not in self.names:
            self.names[number] = name
            self.tensors[number] = value
        return number

    def _number(self, node: Any) -> int:
        """The number of a node; of the end of a leaf that of the leaf's entry."""
        entry = journal.of_node(node)
        return entry.number if entry is not None else id(node) if isinstance(node, AccumulateGrad) else int(node.number)

    def _follow(self, numbers: Iterable[int]) -> None:
        """Find all that these depend on."""
        waiting = list(numbers)
        seen = set(waiting)
        arrived: dict[int, list[int]] = {}
        for number in waiting:  # the list grows while it is read
            node, entry = self.nodes.get(number), journal.find(number)
            if entry is not None:
                self.entries[number] = entry
            found = self._sources(entry)
            found += self._arrivals(number, entry)
            found += self._written_into(number)
            for source, _ in node.next_functions if node is not None else ():
                if source is not None:
                    before = self._number(source)
                    self.nodes[before] = source
                    found.append(before)
            for before in found:
                if before not in seen and len(seen) < MOST and (before in self.nodes or journal.find(before)):
                    seen.add(before)
                    waiting.append(before)
        for n, found in list(self.arrived.items()):  # where a tensor was made of them, it is the tensor that goes on
            through = {d for s in self.entries[n].sources for d in self.arrived.get(s, ())}
            arrived[n] = [d for d in found if d not in through]
        self.arrived = arrived
        self.numbers = sorted(seen, key=lambda n: (not self._is_first(n), n))
        self.links = {n: list(self._links(n)) for n in self.numbers}
        readers: dict[int, list[int]] = {}
        for n, links in self.links.items():
            for link in links:
                readers.setdefault(link[0], []).append(n)
        self.prepared = {n for n, found in readers.items() if all(self._is_leaf(r) for r in found)}
        for n, name in names_by_line([(n, self._line(n)) for n in sorted(self.numbers)]).items():
            if not self._is_leaf(n):  # the line `net = Linear(2, 3)` makes leaves that are not called net
                self.names.setdefault(n, name)

    def _arrivals(self, number: int, entry: Any) -> list[int]:
        """The values that have left for Python or NumPy and come in here, as far as the text of the program says.

        They come in at the first operation of a line; one on the way out does not count.
        """
        if entry is None or entry.place is None or journal.is_leaf(number):
            return []
        known = self.departures.get((entry.place.file, _function(entry.place)), [])
        after = bisect_left(known, number, key=_number)
        on_the_way = after < len(known) and known[after].place == entry.place
        before = [s for s in map(journal.find, entry.sources) if s is not None]
        if not after or on_the_way or any(s.place == entry.place and s.cut is None for s in before):
            return []
        latest = {d.place.line: d for d in known[:after] if d.number not in entry.sources}
        found = []
        for line, d in latest.items():
            arrives = line == entry.place.line or not self._is_used(d)
            if arrives and reaches(entry.place.file, line, entry.place.line):
                found.append(d.number)
        self.arrived[number] = found
        return found

    def _written_into(self, number: int) -> list[int]:
        """What was written into a leaf where autograd did not look; not what comes of the leaf itself, as in a step."""
        write = self.writes.get(number)
        if write is None or not self._is_leaf(number) or write.cut is None:
            return []
        above = list(write.sources[1:])
        for source in above:  # the list grows while it is read
            entry = journal.find(source)
            above += [s for s in entry.sources if s not in above] if entry is not None and len(above) < _NEAR else []
        self.written[number] = () if number in above else write.sources[1:]
        return list(self.written[number])

    def _is_used(self, departure: Any) -> bool:
        """Whether the line where a value left goes on with tensors, so that what it assigns is one of them."""
        following = (journal.find(departure.number + k) for k in range(1, 9))
        after = next((e for e in following if e is not None), None)
        return after is not None and after.place == departure.place

    def _sources(self, entry: Any) -> list[int]:
        """The operands that the journal knows; what a copy was made from by deepcopy counts only if it is asked for."""
        if entry is None:
            return []
        return [n for n in entry.sources if entry.what != "deepcopy" or n in self.asked]

    def _is_leaf(self, number: int) -> bool:
        return isinstance(self.nodes.get(number), AccumulateGrad) or journal.is_leaf(number)

    def _is_first(self, number: int) -> bool:
        """Whether it is a leaf that was not made of something else."""
        entry = self.entries.get(number)
        return self._is_leaf(number) and not self._sources(entry)

    def _line(self, number: int) -> tuple[str, int] | None:
        entry = self.entries.get(number)
        return None if entry is None or entry.place is None else (entry.place.file, entry.place.line)

    # What is found becomes nodes and edges.

    def graph(self, title: str) -> Graph:
        """The picture of all that was found."""
        passed = self._passed()
        shown = [n for n in self.numbers if n not in passed]
        ids = {n: f"n{k}" for k, n in enumerate(shown)}
        nodes = [self._node(n, ids[n]) for n in shown]
        edges = [
            Edge(ids[source], ids[n], label, cut, place, gradient)
            for n in shown
            for source, label, cut, place, gradient in self._joined(n, passed)
        ]
        names = {n.name for n in nodes}
        for name, value in self.loose.items():
            if name not in names:
                nodes.append(_loose(f"n{len(nodes)}", name, value))
                edges += [
                    Edge(nodes[-1].id, ids[n], "", None, None, False) for n in self._on_memory_of(value) if n in ids
                ]
        without_common_group(nodes)
        return Graph(nodes, edges, title)

    def _on_memory_of(self, value: Any) -> Iterator[int]:
        """The tensors that were made of an array of NumPy's, and have its memory."""
        if isinstance(value, np.ndarray):
            for number, t in self.tensors.items():
                raw = t._value if isinstance(t, Tensor) else None
                if isinstance(raw, np.ndarray) and journal.owner(raw) is journal.owner(value):
                    yield number

    def _links(self, number: int) -> Iterator[tuple]:
        """What leads to an operation: (number of the source, label, cut, its place, whether a gradient comes back)."""
        node, entry = self.nodes.get(number), self.entries.get(number)
        linked = set()
        for source, output in dict.fromkeys(node.next_functions) if node is not None else ():
            if source is not None:
                linked.add(self._number(source))
                yield self._number(source), f"output {output}" if output else "", None, None, True
        for source in self.written.get(number, ()):
            write = self.writes[number]
            yield source, "", f"{write.what} in {write.cut}", _place(write), False
        for source in self.arrived.get(number, ()):
            yield source, "", None, None, False
        for source in dict.fromkeys(self._sources(entry)):
            before = self.entries.get(source)
            if source in linked or before is None or entry is None:
                continue
            if not before.requires:
                yield source, "", None, None, False
            elif entry.cut is not None or not entry.requires:
                yield source, "", entry.cut or "no derivative", _place(entry), False
            elif node is None:
                yield source, "", None, None, True

    def _passed(self) -> set[int]:
        """Values on the way that nobody has a name for: they are not shown, and what leads there leads on."""
        return {
            n
            for n in self.numbers
            if n not in self.names and n not in self.nodes and not self.entries[n].requires
            if len(self.links[n]) == 1 or (not self.links[n] and n in self.prepared)
        }

    def _joined(self, number: int, passed: set[int]) -> Iterator[tuple]:
        """The links of an operation that come from what is shown."""
        for source, label, cut, place, gradient in self.links[number]:
            while source in passed and self.links[source]:
                source, more, cut_before, place_before, _ = self.links[source][0]
                label, gradient = label or more, False
                if cut_before is not None:
                    cut, place = cut_before, place_before
            if source not in passed:
                yield source, label, cut, place, gradient

    def _node(self, number: int, id: str) -> Node:
        node, name = self.nodes.get(number), self.names.get(number, "")
        entry: Any = self.entries.get(number)  # there if there is no node
        t = self.tensors.get(number)
        if isinstance(node, AccumulateGrad):
            t = node.variable
        if self._is_leaf(number):
            found = Node(id, name or "a leaf", LEAF, name)
        elif node is not None:
            kind = RESULT if number in self.asked else OPERATION
            found = Node(id, node.name().rpartition("::")[2], kind, name, kept=bytes_of(node.residuals or ()))
        else:
            found = Node(id, entry.what, OPERATION if entry.requires else VALUE, name)
        if node is not None:
            found.type = type_of(node.shape, node.dtype)
        elif entry.dtype is not None:
            found.type = f"{entry.dtype.name}[{','.join(map(str, entry.shape))}]"
        if t is not None:
            _describe(found, t)
        if node is not None and _written_over(node):
            found.alarm = "kept values were written over"
        if entry is not None:
            found.place, found.group, found.calls = _place(entry), self._group(entry), entry.calls
        return found

    def _group(self, entry: Any) -> tuple[str, ...]:
        """The modules that were running; outside of modules the function."""
        if entry.module:
            return tuple([f"{name} {cls}" if name else cls for cls, name in entry.module])
        if entry.place is None or entry.place.function in self.around:
            return ()
        function = entry.place.function.rpartition(".<locals>.")[2]
        return () if function.rpartition(".")[2][:1] == "<" else (function,)


def _function(place: Any) -> str:
    """The function that a place is in; comprehensions, which are functions of their own to Python, are in it too."""
    return re.sub(r"(\.<locals>\.)?<(list|set|dict)comp>$|(\.<locals>\.)?<genexpr>$", "", place.function) or "<module>"


def _place(entry: Any) -> Place | None:
    p = entry.place
    return None if p is None else Place(p.file, p.line, p.function.rpartition(".<locals>.")[2], p.text)


def _written_over(node: Any) -> bool:
    """Whether something was written into memory that a node keeps values in."""
    return any(counter is not None and counter[0] != version for _, counter, version in node.saved or ())


def _describe(found: Node, t: Any) -> None:
    """The value and the gradient of a tensor."""
    value = t._value if isinstance(t, Tensor) else t
    if isinstance(value, np.ndarray | np.generic):
        found.value, found.alarm = value_text(value), alarm_text(value)
    grad = getattr(t, "_grad", None)
    if grad is not None and isinstance(grad._value, np.ndarray | np.generic):
        found.grad = grad_text(grad._value)
        found.alarm = found.alarm or (alarm_text(grad._value) and f"grad: {alarm_text(grad._value)}")


def _loose(id: str, name: str, value: Any) -> Node:
    """A value that has no history."""
    array = value if isinstance(value, np.ndarray) else value._value
    kind = "ndarray " if isinstance(value, np.ndarray) else ""
    found = Node(id, name, CONSTANT, name, kind + type_of(array.shape, array.dtype))
    _describe(found, value)
    return found
