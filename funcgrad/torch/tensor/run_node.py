"""Running one node of the graph: torch's formula, or the core's rule on what the node saved.

While gradients are not recorded, the rule runs on plain ndarrays; with create_graph on GraphTracers.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.formulas import by_formula
from funcgrad.torch.tensor.gradient_memory import as_tensor, writeable
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.hooks import after_hooks, before_hooks
from funcgrad.torch.tensor.later import complete
from funcgrad.torch.tensor.node import BY_FORMULA, Node
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.saved import by_name, check_version, saved_dtype, unpack
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.validity import expected, fit_operand, fit_recorded
from funcgrad.torch.tensor.values import raw, tensor_of, wrapped
from funcgrad.torch.texts import func as texts
from funcgrad.torch.texts import graph as graph_texts


def call_node(node: Node, grads: list, create_graph: bool, hooked: bool = True) -> list:
    """The gradients of all operands of a node (None for those not linked) from those of its outputs, as tensors."""
    if hooked:
        grads = before_hooks(node, grads)
    before_running, state.running = state.running, node
    try:
        with np.errstate(all="ignore"):
            found = node.run(grads, create_graph) if hasattr(node, "run") else run_plan(node, grads, create_graph)
    finally:
        state.running = before_running
    return after_hooks(node, found, grads) if hooked else found


def run_plan(node: Node, grads: list, create_graph: bool) -> list:
    """Run the rules of a recorded primitive."""
    if node.saved is None:
        raise RuntimeError(graph_texts.FREED)
    if create_graph or node.title in BY_FORMULA:
        complete()
    if (create_graph and state.grad) or node.title in BY_FORMULA:
        made = _run_formula(node, grads)
        if made is not None:
            return made
    plan, residuals = node.plan, unpacked_residuals(node, create_graph)
    cts: Any = [None if g is None else GraphTracer.of(g, raw(g)) if create_graph else raw(g) for g in grads]
    if node.outputs == 1 and cts[0] is None:
        return [None] * node.edge_count()
    if node.outputs > 1 and not plan.partial:
        cts = [np.zeros(s, d) if c is None else c for c, s, d in zip(cts, node.shape, node.dtype, strict=True)]
    try:
        found = plan.pull(tuple(cts) if node.outputs > 1 or node.op.multiple else cts[0], residuals)
    except ValueError:  # a hook may have unpacked a tensor of another shape
        check_broadcast([*cts, *residuals])
        raise
    shown = {} if create_graph else _shown(grads)
    reached = None if state.walk is None else state.walk.reached
    if reached is not None and node not in reached:  # it is run by CopySlices, whose own edges these are not
        reached = None
    out: list[Any] = [None] * max(node.edge_count(), len(plan.operands))
    for k, i, nr, ct in zip(node.linked, node.inputs, node.numbers, (found,) if plan.single else found, strict=True):
        if ct is None or (reached is not None and i not in reached):  # nobody asked for it
            continue
        if isinstance(ct, Deferred):
            ct = ct.dense()
        out[k] = _recorded(node, i, nr, ct) if create_graph else _unrecorded(node, i, nr, ct, shown)
    return out[: node.edge_count()]


def _run_formula(node: Node, grads: list) -> list | None:
    """The gradients of all operands by torch's formula; None if there is none for this case."""
    found = by_formula(node, grads)
    if found is None:
        return None
    for k, i, nr in zip(node.linked, node.inputs, node.numbers, strict=True):
        if found[k] is not None:
            if node.written and found[k]._counter is None:
                found[k]._counter = [node.written]
            found[k] = fit_recorded(node, i, nr, found[k])
    return found[: node.edge_count()]


def _recorded(node: Node, i: Node, nr: int, ct: Any) -> Any:
    """A cotangent that a rule gave for an output of node i, as a recorded tensor."""
    if state.grad and not state.transforms:
        t = fit_recorded(node, i, nr, tensor_of(ct))
    else:
        t = tensor_of(fit_operand(node, i, nr, ct))
    if node.written and t._counter is None and ct.shape == expected(i, nr)[0]:
        t._counter = [node.written]
    return t


def _shown(grads: list) -> dict[int, Any]:
    """Weak references to the tensors that show arrays, by the ids of these."""
    found = {}
    for g in grads:
        if g is not None:
            if g._plain:
                found[id(g._value)] = ref(g)
            if g._view is not None:
                found[id(g._view.base._value)] = ref(g._view.base)
    return found


def _unrecorded(node: Node, i: Node, nr: int, ct: Any, shown: dict[int, Any]) -> Any:
    """The same as a tensor without a history: one that is shown already, if the rule hands on what it was given."""
    fits = fit_operand(node, i, nr, ct)
    known = shown.get(id(fits))
    t = None if known is None else known()
    if t is None or t._value is not fits:
        value = fits if isinstance(fits, Array) else writeable(np.asarray(fits))
        t = as_tensor(value, node.written if fits is ct else 0, shown)
        shown[id(fits)] = ref(t)
    return t


def unpacked_residuals(node: Node, create_graph: bool) -> Any:
    """The residuals with saved tensors checked and unpacked; as GraphTracers where gradients are recorded."""
    if node.op is None:  # a node of Python, which knows itself what it saved
        node.check_versions()
        return node.residuals
    if not create_graph and getattr(node, "_packed", None) is None and not _any_replaced(node):
        return node.residuals
    plan, found = node.plan, list(node.residuals)
    operands, results = _unpacked(node, create_graph)
    if create_graph and "pullback" in plan.names:
        operands = _operands_not_saved(node) | operands
    for k, name in enumerate(plan.names):
        if name == "xs":
            found[k] = tuple([operands.get(i, x) for i, x in enumerate(found[k])])
        elif name == "out":
            if results:
                found[k] = tuple(results) if node.outputs > 1 else results[0]
        elif name in plan.operands:
            found[k] = operands.get(plan.operands.index(name), found[k])
    return tuple(found)


def _any_replaced(node: Node) -> bool:
    """Whether `.data` replaced the value of a saved tensor; torch's error if one was written into."""
    moved = [k for k, (_, counter, version) in enumerate(node.saved) if counter is not None and counter[0] != version]
    return True in [check_version(node, k) for k in moved]


def _unpacked(node: Node, create_graph: bool) -> tuple[dict[int, Any], list[Any]]:
    """What the rule gets for the saved operands, by their positions, and for the saved results."""
    packed = getattr(node, "_packed", None) or ()
    keeps = node.op.recordings[tuple(i in node.linked for i in range(len(node.plan.operands)))].keeps
    tensors = {
        place: unpack(node, place)
        for place in by_name(node)
        if node.saved[place][0] is None or isinstance(node.saved[place][0], Tensor) or place in packed
    }
    values = {}
    for place, t in tensors.items():
        kind = saved_dtype(node, place)
        if t._value.dtype != kind:  # the operand had been promoted
            t = t.to(of_numpy(kind))
        values[place] = GraphTracer.of(t, raw(t)) if create_graph else raw(t)
    operands = {keeps[place]: v for place, v in values.items() if place < len(keeps)}
    return operands, [v for place, v in values.items() if place >= len(keeps)]


def _operands_not_saved(node: Node) -> dict[int, Any]:
    """The linked operands of a composite, of which torch may not save all: they still are operands of the core's."""
    values, found = node.residuals[node.plan.names.index("xs")], {}
    for i, edge, number in zip(node.linked, node.inputs, node.numbers, strict=True):
        t = wrapped(values[i])
        t._node, t._nr = edge, number
        found[i] = GraphTracer.of(t, values[i])
    return found


def check_nan(node: Node, found: list) -> None:
    """In anomaly detection: no gradient may hold nan."""
    for k, g in enumerate(found):
        if g is not None:
            value = raw(g)
            if isinstance(value, ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
                raise RuntimeError(texts.NAN_RETURNED.format(node=node.name(), k=k))
