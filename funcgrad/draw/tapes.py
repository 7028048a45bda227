"""The graph of a tape: inputs, equations and results, and what else is known about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from funcgrad.core.array import Array
from funcgrad.core.tape import Equation, Tape
from funcgrad.draw.graph import CONSTANT, LEAF, OPERATION, RESULT, Edge, Graph, Node, without_common_group
from funcgrad.draw.sources import function_around, place
from funcgrad.draw.text import literal, names
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
        groups: the functions that were running, and a number for each call.
    """

    names: Mapping[Equation, str] = field(default_factory=dict)
    values: Mapping[Equation, Any] = field(default_factory=dict)
    grads: Mapping[Equation, Any] = field(default_factory=dict)
    keeps: Mapping[Equation, tuple[str, int]] = field(default_factory=dict)
    cuts: Mapping[tuple[Equation, Equation], str] = field(default_factory=dict)
    passes: set[Equation] | None = None
    groups: Mapping[Equation, tuple[tuple[str, ...], tuple[int, ...]]] = field(default_factory=dict)


def graph_of(tape: Tape, known: Known | None = None, title: str = "a tape") -> Graph:
    """The graph of a tape.

    Arguments:
        tape: any tape.
        known: what else is known; by default the names are those with which the tape prints.
        title: of the graph.
    """
    if known is None:
        keeps = {} if tape.symbolic else {e: kept_by(e) for e in tape.equations}
        known = Known(names(tape), keeps=keeps, groups=_functions(tape.equations))
    label = names(tape)
    results: dict[Equation, list[int]] = {}
    for k, o in enumerate(tape.outputs):
        if type(o) is Equation:
            results.setdefault(o.operation if o.picks is not None else o, []).append(k)
    several = len(tape.outputs) > 1
    nodes, edges = [], []
    for e in tape.inputs:
        nodes.append(_node(e, label[e], known, LEAF))
        nodes[-1].title = known.names.get(e, label[e])
    for e in tape.equations:
        if e.picks is not None:
            continue
        node = _node(e, label[e], known, RESULT if e in results else OPERATION)
        if several and e in results:
            node.notes += (f"result {', '.join(map(str, results[e]))}",)
        nodes.append(node)
        read = dict.fromkeys([i for i in e.inputs if type(i) is Equation and i in label])
        edges += [_edge(i, e, label, known) for i in read]
    for k, o in enumerate(tape.outputs):
        if type(o) is not Equation and o is not None:
            text = literal(o)
            nodes.append(Node(f"out{k}", text, CONSTANT, f"result {k}" if several else "result"))
        elif type(o) is Equation and o.plan is None:
            nodes.append(Node(f"out{k}", f"result {k}" if several else "result", RESULT))
            edges.append(Edge(label[o], f"out{k}"))
    without_common_group(nodes)
    return Graph(nodes, edges, title)


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
        node.group, node.calls = known.groups.get(e, ((), ()))
    return node


def _notes(e: Equation) -> tuple[str, ...]:
    """The constant operands and the parameters of an equation, in one line."""
    constants = [literal(i) for i in e.operands() if type(i) is not Equation and i is not None]
    words = [f"· {c}" for c in constants] + [f"{k}={literal(v)}" for k, v in e.params.items()]
    return (", ".join(words),) if words else ()


def _edge(i: Equation, e: Equation, label: Mapping[Equation, str], known: Known) -> Edge:
    source = i if i.picks is None else i.operation
    words = "" if i.picks is None else known.names.get(i, f"result {i.picks}")
    cut = known.cuts.get((i, e))
    where = place(*e.plan.line) if cut is not None and e.plan is not None and e.plan.line is not None else None
    passes = known.passes is None or i in known.passes
    return Edge(label[source], label[e], words, cut, where, gradient=passes)


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
            function = function_around(*e.plan.line)
            found[e] = ((function,) if function else ()) + e.plan.scope, ()
    return found
