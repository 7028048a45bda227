"""The graph of a tape: inputs, equations and results, and what else is known about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.tape import Equation, Tape
from funcgrad.draw.folding import CARRIED
from funcgrad.draw.graph import CONSTANT, LEAF, OPERATION, RESULT, VALUE, Edge, Graph, Node, without_common_group
from funcgrad.draw.sources import functions_around, place
from funcgrad.draw.text import inside, literal, names
from funcgrad.draw.values import alarm_text, grad_text, type_of, value_text


@dataclass(slots=True)
class Known:
    """What is known of the equations of a tape beside what it says.

    Attributes:
        names: what the program calls their results.
        values, grads: of their results.
        keeps: for each what it keeps for the way back, in the words of its rule, and how many bytes.
        cuts: for (equation, operand number) why no gradient comes back.
        passes: whether gradients come back to the result of an equation; None if that is not known.
        constants: equations whose results carry no gradient.
        groups: the functions that were running, and a number for each call.
    """

    names: Mapping[Equation, str] = field(default_factory=dict)
    values: Mapping[Equation, Any] = field(default_factory=dict)
    grads: Mapping[Equation, Any] = field(default_factory=dict)
    keeps: Mapping[Equation, tuple[str, int]] = field(default_factory=dict)
    cuts: Mapping[tuple[Equation, Equation], str] = field(default_factory=dict)
    passes: set[Equation] | None = None
    constants: set[Equation] = field(default_factory=set)
    groups: Mapping[Equation, tuple[tuple[str, ...], tuple[int, ...]]] = field(default_factory=dict)


def graph_of(tape: Tape, known: Known | None = None, title: str = "a tape") -> Graph:
    """The graph of a tape.

    Arguments:
        tape: any tape.
        known: what else is known; by default the names are those with which the tape prints.
        title: of the graph.
    """
    known = _of_tape(tape) if known is None else known
    maker = _Maker()
    maker.results(tape, maker.add(tape, known, "", (), {}))
    without_common_group(maker.nodes)
    return Graph(maker.nodes, maker.edges, title)


End = tuple[str, str]
"""Where a value comes from: the id of a node, and which of its results it is, in words."""


class _Maker:
    """Nodes and edges of a tape, and of those that its operations hold."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.edges: list[Edge] = []

    def add(
        self, tape: Tape, known: Known, prefix: str, group: tuple[str, ...], ends: dict[Equation, Any]
    ) -> list[Any]:
        """Draw a tape.

        Arguments:
            known: what is known of its equations.
            prefix: of the ids of its nodes.
            group: that it is in.
            ends: where its inputs come from, None for a constant; those that are not there become leaves.

        Returns:
            For each of its outputs the End, None for a constant.
        """
        label = names(tape)
        for e in tape.inputs:
            if e not in ends:
                self.nodes.append(_node(e, prefix + label[e], known, LEAF))
                self.nodes[-1].title = known.names.get(e, label[e])
                ends[e] = prefix + label[e], ""
        for e in tape.equations:
            if e.picks is not None:
                of = ends[e.operation]
                ends[e] = of[e.picks] if isinstance(of, list) else (of[0], known.names.get(e, f"result {e.picks}"))
                continue
            groups, calls = known.groups.get(e, ((), ()))
            held = inside(getattr(e.primitive, "body", None)) if tape.symbolic else []
            outs = []
            for k, (words, t) in enumerate(held):
                within = (*group, *groups, f"{e.primitive.name}, {words}")
                given = {i: ends.get(o) if type(o) is Equation else None for i, o in _operands(e, t)}
                outs.append(self.add(t, Known(names(t)), f"{prefix}{label[e]}.{k}.", within, given))
            if len(outs) == 1 and isinstance(e.shape, tuple) and len(outs[0]) >= len(e.shape):
                ends[e] = outs[0]  # its inside says it all
                self._carried(outs[0][: getattr(e.primitive.body, "carry", 0)])
                continue
            node = _node(e, prefix + label[e], known, VALUE if e in known.constants else OPERATION)
            node.group, node.calls = (*group, *groups), (*[0] * len(group), *calls)
            self.nodes.append(node)
            ends[e] = node.id, ""
            entered = {o for _, t in held for _, o in _operands(e, t) if type(o) is Equation}
            read = dict.fromkeys([i for i in e.inputs if type(i) is Equation and i not in entered])
            self.edges += [_edge(ends[i], node.id, i, e, known) for i in read if ends.get(i) is not None]
            self.edges += [Edge(end[0], node.id, end[1]) for found in outs for end in found if end is not None]
        return [ends.get(o) if type(o) is Equation else None for o in tape.outputs]

    def _carried(self, ends: list[Any]) -> None:
        """Say of the results of a step that the next one reads them."""
        ids = {end[0] for end in ends if end is not None}
        for n in self.nodes:
            if n.id in ids and n.kind == OPERATION:
                n.notes += (CARRIED,)

    def results(self, tape: Tape, ends: list[Any]) -> None:
        """Mark what a tape gives."""
        by_id = {n.id: n for n in self.nodes}
        for k, (o, end) in enumerate(zip(tape.outputs, ends, strict=True)):
            words = f"result {k}" if len(tape.outputs) > 1 else "result"
            if end is None and type(o) is not Equation and o is not None:
                self.nodes.append(Node(f"out{k}", literal(o), CONSTANT, words))
            elif end is not None and by_id[end[0]].kind == LEAF:
                self.nodes.append(Node(f"out{k}", words, RESULT))
                self.edges.append(Edge(end[0], f"out{k}", end[1]))
            elif end is not None:
                by_id[end[0]].kind = RESULT
                by_id[end[0]].notes += (words,) if len(tape.outputs) > 1 else ()


def _operands(e: Equation, inner: Tape) -> list[tuple[Equation, Any]]:
    """The inputs of a tape that an operation holds, each with the operand that goes there: the last ones, as they are.

    What stands before them decides what is done, as the first operand of a choice does.
    """
    operands = e.operands()
    extra = len(operands) - len(inner.inputs)
    return list(zip(inner.inputs, operands[extra:], strict=True)) if extra >= 0 else []


def _node(e: Equation, id: str, known: Known, kind: str) -> Node:
    value, grad = known.values.get(e), known.grads.get(e)
    node = Node(
        id, "input" if e.plan is None else e.primitive.name, kind, known.names.get(e, ""), type_of(e.shape, e.dtype)
    )
    node.keeps, node.kept = known.keeps.get(e, ("", 0))
    if value is not None:
        node.value, node.alarm = value_text(value), alarm_text(value)
    if grad is not None:
        node.grad = grad_text(grad)
        node.alarm = node.alarm or (f"grad: {alarm_text(grad)}" if alarm_text(grad) else "")
    if e.plan is not None:
        node.notes = _notes(e)
        if e.plan.line is not None:
            node.place = place(*e.plan.line)
    return node


def _notes(e: Equation) -> tuple[str, ...]:
    """The constant operands and the parameters of an equation, in one line."""
    constants = [literal(i) for i in e.operands() if type(i) is not Equation and i is not None]
    words = [f"· {c}" for c in constants] + [f"{k}={literal(v)}" for k, v in e.params.items()]
    return (", ".join(words),) if words else ()


def _edge(end: End, target: str, i: Equation, e: Equation, known: Known) -> Edge:
    cut = known.cuts.get((i, e))
    where = place(*e.plan.line) if cut is not None and e.plan is not None and e.plan.line is not None else None
    passes = known.passes is None or i in known.passes
    return Edge(end[0], target, end[1], cut, where, gradient=passes)


def _of_tape(tape: Tape) -> Known:
    """What a tape knows by itself; its names are those with which it prints."""
    keeps = {} if tape.symbolic else {e: kept_by(e) for e in tape.equations}
    return Known(names(tape), keeps=keeps, groups=_functions(tape.equations))


def kept_by(e: Equation) -> tuple[str, int]:
    """The names of the arrays that an equation keeps, and their bytes."""
    found = [name for name, x in e.kept.items() if bytes_of((x,))]
    return ", ".join(found), bytes_of(e.residuals)


def bytes_of(residuals: Any) -> int:
    """The bytes of all arrays in residuals, each counted once."""
    found: dict[int, int] = {}
    waiting = list(residuals)
    while waiting:
        x = waiting.pop()
        while isinstance(x, Array):
            x = x._value
        if type(x) is tuple:
            waiting += x
        elif isinstance(x, np.ndarray | np.generic):
            owner = x.base if isinstance(x, np.ndarray) and isinstance(x.base, np.ndarray) else x
            found[id(x)] = min(x.nbytes, owner.nbytes)  # what was broadcast takes no more than its owner
    return sum(found.values())


def _functions(equations: Sequence[Equation]) -> dict[Equation, tuple[tuple[str, ...], tuple[int, ...]]]:
    """The groups of equations of which the line and the named scopes are known."""
    found: dict[Equation, tuple[tuple[str, ...], tuple[int, ...]]] = {}
    for e in equations:
        if e.plan is not None and e.plan.line is not None:
            found[e] = functions_around(*e.plan.line) + e.plan.scope, ()
    return found
