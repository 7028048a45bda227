"""The picture of a recording: what was computed, which gradients came back, where they were cut, and the causes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from funcgrad.debug.explain.kinds import kind_of_cut
from funcgrad.debug.explain.record import Recording, Step, Value
from funcgrad.draw.graph import LEAF, OPERATION, RESULT, Edge, Graph, Node, Place, without_common_group
from funcgrad.draw.sources import functions_around, place
from funcgrad.draw.tapes import bytes_of
from funcgrad.draw.values import alarm_text, grad_text, type_of, value_text


def graph_of(
    recording: Recording,
    names: Sequence[str],
    values: Sequence[Any],
    cotangents: Mapping[Value, Any],
    outputs: Iterable[Value],
    causes: Mapping[tuple, str],
    title: str,
) -> Graph:
    """The graph of a recording.

    Arguments:
        recording: of a function.
        names, values: of its inputs.
        cotangents: of the values.
        outputs: its results.
        causes: for (place, name of the operation) the kind of what was found there.
        title: of the graph.
    """
    results = set(outputs)
    nodes, edges = [], []
    ids: dict[Value, str] = {}
    for k, (x, name, value) in enumerate(zip(recording.inputs, names, values, strict=True)):
        ids[x] = f"i{k}"
        node = Node(ids[x], name, LEAF, name, type_of(x.shape, x.dtype))
        _describe(node, value, cotangents.get(x))
        nodes.append(node)
    for k, step in enumerate(recording.steps):
        for x in step.results:
            ids[x] = f"s{k}"
        node = Node(f"s{k}", step.operation.name, OPERATION if results.isdisjoint(step.results) else RESULT)
        node.place = _place(step)
        if step.results:
            first = step.results[0]
            node.type = type_of(first.shape, first.dtype)
            _describe(node, step.out[0], cotangents.get(first))
        node.kept = bytes_of(step.residuals)
        node.alarm = causes.get((step.place, step.operation.name), node.alarm)
        node.group = () if step.place is None else functions_around(step.place.file, step.place.line)
        nodes.append(node)
        edges += _edges(step, f"s{k}", ids)
    without_common_group(nodes)
    return Graph(nodes, edges, title)


def _place(step: Step) -> Place | None:
    return None if step.place is None else place(step.place.file, step.place.line)


def _describe(node: Node, value: Any, cotangent: Any) -> None:
    node.value, node.alarm = value_text(value), alarm_text(value)
    if cotangent is not None:
        node.grad = grad_text(cotangent)
        node.alarm = node.alarm or (f"grad: {alarm_text(cotangent)}" if alarm_text(cotangent) else "")


def _edges(step: Step, id: str, ids: Mapping[Value, str]) -> list[Edge]:
    found: dict[str, Edge] = {}
    for k, x in enumerate(step.operands):
        if x is None or ids[x] in found:
            continue
        cut = kind_of_cut(step, k) if x.linked and k not in step.linked else None
        found[ids[x]] = Edge(ids[x], id, "", cut, _place(step) if cut else None, gradient=x.linked)
    return list(found.values())
