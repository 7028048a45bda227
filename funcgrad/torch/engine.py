"""The backward walk of the torch face: the core's walk with what torch does around it.

Nodes run from the newest to the oldest; a leaf's gradient is accumulated as soon as it is complete. While gradients are
not themselves recorded, cotangents are plain ndarrays and the core's rules run on them directly. With create_graph they
are tensors, and the same rules run on GraphTracers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from operator import attrgetter
from typing import Any

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred, fit
from funcgrad.torch.dtypes import of_numpy
from funcgrad.torch.modes import state
from funcgrad.torch.node import FREED, AccumulateGrad, Node
from funcgrad.torch.operation import GraphTracer, check_broadcast, tensor_of, wrapped
from funcgrad.torch.saved import by_name, check_version, saved_dtype, unpack
from funcgrad.transforms.walk import accumulate

_number = attrgetter("number")


def ordered(roots: list[Node]) -> list[Node]:
    """The nodes reachable from roots, the newest first. No recursion."""
    seen = set(roots)
    order = list(seen)
    for node in order:  # the list grows while it is read
        for i in node.inputs:
            if i not in seen:
                seen.add(i)
                order.append(i)
    order.sort(key=_number, reverse=True)
    return order


def carries_tangents() -> bool:
    """Whether gradients may have forward derivatives."""
    return state.forward_grad and bool(state.duals)


def counted(order: list[Node]) -> dict[Node, int]:
    """How many edges lead to each AccumulateGrad."""
    leads: dict[Node, int] = {}
    for node in order:
        for i in node.inputs:
            if type(i) is AccumulateGrad:
                leads[i] = leads.get(i, 0) + 1
    return leads


_walks = count().__next__


class Walk:
    """One call of backward or autograd.grad.

    Arguments:
        roots: (node, output number, gradient as a Tensor) of the tensors to start from.
        retain: whether nodes keep what they saved.
        create_graph: whether the gradients are recorded.
        captures: (node, output number) of the tensors whose gradients are wanted; None: all leaves accumulate.
        accumulating: whether wanted leaves accumulate, instead of being captured.

    Attributes:
        traced: whether cotangents are tensors: because they are recorded, or may have tangents.
        reached: the nodes that gradients are handed to; None for all.
        runs: those of them that run; wanted ones from which no other wanted one is reached are only looked at.
    """

    def __init__(
        self, roots: list, retain: bool, create_graph: bool, captures: list | None, accumulating: bool
    ) -> None:
        self.number = _walks()
        self.callbacks: list[Callable] = []
        self.retain, self.create_graph = retain, create_graph
        self.traced = create_graph or carries_tangents()
        self.order = ordered([node for node, _, _ in roots])
        self.cts: dict[Any, Any] = {}
        self.owned: set = set()
        self.captured: dict[tuple, Any] = {}
        self.wanted: set = set()
        self.targets: set = set()
        self.reached: set | None = None
        self.runs: set | None = None
        if captures is not None:
            self.wanted, self.targets = set(captures), {node for node, _ in captures}
            self._restrict(accumulating)
        for node, nr, g in roots:
            if self.reached is None or node in self.reached:
                self.add(node, nr, g if self.traced else raw_of(g))
        self.leads = counted(self.order)

    def _restrict(self, accumulating: bool) -> None:
        """Only what leads to the wanted tensors runs."""
        reached, runs = set(self.targets), set()
        for node in reversed(self.order):
            if any(i in reached for i in node.inputs):
                runs.add(node)
                reached.add(node)
        if accumulating:
            runs |= self.targets
        self.reached, self.runs = reached, runs
        self.order = [node for node in self.order if node in reached]

    def will_run(self, node: Node) -> bool:
        """Whether this walk computes the gradient of a node's outputs."""
        return node in set(self.order)

    def add(self, node: Node, nr: int, ct: Any, g: Any = None, cts: tuple = (), kept: tuple = ()) -> None:
        """A cotangent arrives at an output of a node."""
        key = node if node.outputs == 1 else (node, nr)
        if key not in self.cts:
            self.cts[key] = ct
        elif self.traced or isinstance(ct, Deferred) or isinstance(self.cts[key], Deferred):
            self.cts[key] = self.cts[key] + ct
        elif key in self.owned and type(ct) is ndarray:
            self.cts[key] += ct
        else:
            accumulate(self.cts, self.owned, key, ct, g, cts, kept)

    def run(self) -> None:
        """Run all nodes. The loop is for recorded primitives without hooks; the others go to `run_slow`."""
        before, outer = state.grad, state.walk
        state.grad, state.walk = self.create_graph, self
        fast = not (self.traced or state.anomaly)
        cts, owned_, leads, targets, reached = self.cts, self.owned, self.leads, self.targets, self.reached
        pending: list[Node] = []
        try:
            with np.errstate(all="ignore"):
                for node in self.order:
                    if type(node) is AccumulateGrad:
                        if node not in leads and node in cts:
                            self.run_slow(node)
                        continue
                    if node.slow or not fast or node in targets:
                        self.run_slow(node)
                    else:
                        g = cts.pop(node, None)
                        if g is not None:
                            if type(g) is not ndarray and isinstance(g, Deferred):
                                g = g.dense()
                            saved = node.saved
                            if saved is None:
                                raise RuntimeError(FREED)
                            for place, (_, counter, version) in enumerate(saved):
                                if counter is not None and counter[0] != version:
                                    check_version(node, place)
                            plan, kept = node.plan, node.residuals
                            found = plan.pull(g, kept)
                            if plan.single:
                                found = (found,)
                            for i, nr, ct in zip(node.inputs, node.numbers, found):  # noqa: B905  (one for each)
                                if reached is not None and i not in reached:
                                    continue
                                if i.outputs == 1:
                                    if plan.checked and (ct.shape != i.shape or ct.dtype is not i.dtype):
                                        ct = fit(ct, i.shape, i.dtype)
                                    if i not in cts:
                                        cts[i] = ct
                                    elif i in owned_ and type(ct) is ndarray:
                                        cts[i] += ct
                                    else:
                                        self.add(i, nr, ct, g, found, kept)
                                else:
                                    if plan.checked:
                                        ct = fit(ct, i.shape[nr], i.dtype[nr])
                                    self.add(i, nr, ct, g, found, kept)
                            found = kept = ct = None
                            if not self.retain and saved:
                                node.release()
                    if leads:
                        for i in node.inputs:
                            if type(i) is AccumulateGrad:
                                leads[i] -= 1
                                if not leads[i]:
                                    pending.append(i)
                        while pending:
                            i = pending.pop(0)
                            if i in cts:
                                self.run_slow(i)
        finally:
            state.grad, state.walk = before, outer

    def tensor(self, ct: Any) -> Any:
        """A cotangent as hooks and Python functions see it."""
        if ct is None:
            return None
        if isinstance(ct, Deferred):
            ct = ct.dense()
        if type(ct) is ndarray:
            ct = writeable(ct)
        return ct if not isinstance(ct, (ndarray, Array, np.generic)) else wrapped(ct)

    def run_slow(self, node: Node) -> None:
        """Run a node of any kind, in terms of tensors; anomaly detection says where an error comes from."""
        if not state.anomaly:
            self._run(node)
            return
        try:
            self._run(node)
        except Exception:
            from funcgrad.torch.autograd.anomaly_mode import report

            report(node)
            raise

    def _run(self, node: Node) -> None:
        if node.outputs == 1:
            grads = [self.cts.pop(node, None)]
            self.owned.discard(node)
        else:
            grads = [self.cts.pop((node, k), None) for k in range(node.outputs)]
        if all(g is None for g in grads) and not node.runs_on_nothing:
            return
        grads = [self.tensor(g) for g in grads]
        runs = self.runs is None or node in self.runs
        if not runs:
            grads = tensor_hooks(node, grads)
        for k, g in enumerate(grads):
            if (node, k) in self.wanted:
                self.captured[node, k] = g
        if not runs:
            return
        grads = before_hooks(node, grads)
        if type(node) is AccumulateGrad:
            if grads[0] is not None:
                self.accumulate(node, grads[0])
                after_hooks(node, [], grads)
            return
        found = call_node(node, grads, self.traced, hooked=False)
        if self.reached is not None:
            for k, i in zip(node.linked, node.inputs, strict=True):
                if i not in self.reached:
                    found[k] = None
        found = after_hooks(node, found, grads)
        if state.anomaly and state.anomaly_nan:
            check_nan(node, found)
        if not self.retain:
            node.release()
        for i, nr, ct in zip(node.inputs, node.numbers, linked_only(node, found), strict=True):
            if ct is not None and (self.reached is None or i in self.reached):
                self.add(i, nr, ct if self.traced else raw_of(ct))

    def accumulate(self, node: AccumulateGrad, g: Any) -> None:
        """Add a gradient to that of a leaf: in place, unless gradients are recorded."""
        leaf = node.variable
        if not leaf._requires:  # switched off since it was recorded
            return
        old = leaf._grad
        with np.errstate(all="ignore"):
            if old is None:
                if not self.create_graph:
                    value = raw_of(g)
                    if type(value) is ndarray:
                        like = leaf._value
                        stolen = (
                            value.base is None
                            and value.flags.writeable
                            and value.flags.owndata
                            and sys.getrefcount(g) <= 4
                            and sys.getrefcount(value) <= 3
                            and same_layout(value, like)
                        )
                        if not stolen:
                            fresh = np.empty_like(like, dtype=value.dtype, subok=False) if dense(like) else np.empty(like.shape, value.dtype)  # fmt: skip  # noqa: E501
                            np.copyto(fresh, value)
                            value = fresh
                    leaf._grad = wrapped(value)
                else:
                    leaf._grad = copied_like(leaf, g)
            elif self.create_graph or isinstance(old._value, Array) or isinstance(g._value, Array):
                leaf._grad = old + g
            else:
                value = old._value if old._plain else old._resolved()
                np.add(value, raw_of(g), out=value, casting="unsafe")
                old._bump()
        hooks = leaf._post_accumulate_hooks
        if hooks:
            for hook in list(hooks.values()):
                if hook(leaf) is not None:
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")


def dense(x: ndarray) -> bool:
    """Whether an array fills its memory without gaps or overlaps, in whatever order of axes."""
    return x.size == 0 or x.flags.forc or (all(s > 0 for s in x.strides) and x.transpose(np.argsort(x.strides)[::-1]).flags.c_contiguous)  # fmt: skip  # noqa: E501


def same_layout(x: ndarray, y: ndarray) -> bool:
    """Whether two arrays of one shape lie in memory in the same order (strides of single elements don't count)."""
    return x.strides == y.strides or (x.flags.c_contiguous and y.flags.c_contiguous)


def expanded(x: ndarray) -> ndarray:
    """A writeable look at an expanded cotangent, of which the walk owns the single elements."""
    base = x[tuple([slice(0, 1) if s == 0 else slice(None) for s in x.strides])].copy()
    strides = tuple([0 if s == 0 else t for s, t in zip(x.strides, base.strides, strict=True)])
    return np.ndarray(x.shape, x.dtype, base, 0, strides)


def raw_of(g: Any) -> Any:
    return g._value if g._plain else g._resolved()


def copied_like(leaf: Any, g: Any) -> Any:
    """A recorded copy of a gradient, in the memory layout of its leaf."""
    if isinstance(leaf._value, Array) or not dense(leaf._value):
        return g.clone()
    return g.new_empty_strided(leaf.shape, leaf.stride()).copy_(g)


def tensor_hooks(node: Node, grads: list) -> list:
    """Hooks of the tensors that a node made, then retain_grad."""
    by_number = getattr(node, "_tensor_hooks", None)
    if by_number:
        for k, hooks in list(by_number.items()):
            for hook in list(hooks.values()):
                if grads[k] is None:
                    continue
                found = hook(grads[k])
                if found is not None:
                    grads[k] = check_hook_result(found, grads[k], hook)
    retain = getattr(node, "_retain", None)
    if retain:
        for k, keep in list(retain.items()):
            if grads[k] is not None:
                keep(grads[k])
    return grads


def before_hooks(node: Node, grads: list) -> list:
    """Hooks of the tensors that a node made, then those of the node itself."""
    grads = tensor_hooks(node, grads)
    pre = getattr(node, "_pre_hooks", None)
    if pre:
        for hook in list(pre.values()):
            found = hook(tuple(grads))
            if found is not None:
                grads = replaced(found, grads, hook)
    return grads


def replaced(found: Any, grads: list, hook: Callable) -> list:
    """The gradients that a hook of a node gave back, checked."""
    if type(found) is not tuple:
        raise TypeError(f"expected tuple, but hook returned '{type(found).__name__}'")
    if len(found) != len(grads):
        raise RuntimeError(
            f"hook '{_hook_name(hook)}' has returned an incorrect number of values (got {len(found)}, but expected "
            f"{len(grads)})"
        )
    return [None if f is None else check_hook_result(f, g, hook) for f, g in zip(found, grads, strict=True)]


def _hook_name(hook: Callable) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def check_hook_result(found: Any, g: Any, hook: Callable) -> Any:
    """What a hook may give back: a tensor like the gradient it was given."""
    from funcgrad.torch.operation import Tensor

    if g is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not isinstance(found, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(found).__name__}'")
    name = _hook_name(hook)
    if found.dtype is not g.dtype:
        raise RuntimeError(f"hook '{name}' has changed the type of value (was {g.type()} got {found.type()})")
    if found._value.shape != g._value.shape:
        raise RuntimeError(f"hook '{name}' has changed the size of value")
    return found


def after_hooks(node: Node, found: list, grads: list) -> list:
    """Hooks of the node that see the gradients of its inputs and of its outputs."""
    hooks = getattr(node, "_post_hooks", None)
    if not hooks:
        return found
    for hook in list(hooks.values()):
        new = hook(tuple(found), tuple(grads))
        if new is not None:
            found = replaced(new, found, hook)
    return found


def current_walk() -> Walk:
    """The walk that is running in this thread."""
    if state.walk is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return state.walk


def linked_only(node: Node, found: list) -> list:
    """Of the gradients of all operands those of the linked ones."""
    return [found[i] for i in node.linked]


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
        raise RuntimeError(FREED)
    plan = node.plan
    residuals = unpacked_residuals(node, create_graph)
    if create_graph:
        cts: Any = [None if g is None else GraphTracer.of(g, raw_of(g)) for g in grads]
    else:
        cts = [None if g is None else raw_of(g) for g in grads]
    if node.outputs == 1:
        if cts[0] is None:
            return [None] * node.edge_count()
        g = tuple(cts) if node.op.multiple else cts[0]
    else:
        if not plan.partial:
            cts = [np.zeros(s, d) if c is None else c for c, s, d in zip(cts, node.shape, node.dtype, strict=True)]
        g = tuple(cts)
    try:
        found = plan.pull(g, residuals)
    except ValueError:  # a hook may have unpacked a tensor of another shape
        check_broadcast([*cts, *residuals])
        raise
    if plan.single:
        found = (found,)
    out: list[Any] = [None] * max(node.edge_count(), len(plan.operands))
    for k, i, nr, ct in zip(node.linked, node.inputs, node.numbers, found, strict=True):
        if ct is None:
            continue
        if isinstance(ct, Deferred):
            ct = ct.dense()
        shape, kind = (i.shape, i.dtype) if i.outputs == 1 else (i.shape[nr], i.dtype[nr])
        ct = fit(ct, shape, kind)
        if create_graph:
            out[k] = tensor_of(ct)
        else:
            out[k] = wrapped(ct if isinstance(ct, Array) else writeable(np.asarray(ct)))
    return out[: node.edge_count()] if node.edge_count() < len(out) else out


def writeable(ct: ndarray) -> ndarray:
    """A cotangent as memory for a tensor, which has no negative strides and can be written to."""
    if ct.flags.forc and ct.flags.writeable:
        return ct
    if any(s < 0 for s in ct.strides):
        return ct.copy()
    if ct.flags.writeable:
        return ct
    return expanded(ct) if 0 in ct.strides and ct.size else ct.copy()


def unpacked_residuals(node: Node, create_graph: bool) -> Any:
    """The residuals with saved tensors checked and unpacked; as GraphTracers where gradients are recorded."""
    saved = node.saved
    packed = getattr(node, "_packed", None)
    if packed is None and not create_graph:
        for place, (_, counter, version) in enumerate(saved):
            if counter is not None and counter[0] != version:
                check_version(node, place)
        return node.residuals
    from funcgrad.torch.operation import CompositePlan, Tensor

    tensors = {
        p: unpack(node, p)
        for p in by_name(node)
        if saved[p][0] is None or isinstance(saved[p][0], Tensor) or (packed is not None and p in packed)
    }
    plan, residuals = node.plan, node.residuals
    keeps = node.op.recordings[tuple(i in node.linked for i in range(len(plan.operands)))].keeps
    n_operands = len(keeps)

    def shown(place: int, t: Any) -> Any:
        kind = saved_dtype(node, place)
        if t._value.dtype != kind:  # the operand had been promoted
            t = t.to(of_numpy(kind))
        value = raw_of(t)
        return GraphTracer.of(t, value) if create_graph else value

    found = list(residuals)
    operands: dict[int, Any] = {}
    results: list[Any] = []
    for place, t in tensors.items():
        if place < n_operands:
            operands[keeps[place]] = shown(place, t)
        else:
            results.append(shown(place, t))
    if create_graph and isinstance(plan, CompositePlan):  # what torch does not save is still an operand of the core's
        values = residuals[plan.names.index("xs")]
        for i, edge, number in zip(node.linked, node.inputs, node.numbers, strict=True):
            if i not in operands:
                t = wrapped(values[i])
                t._node, t._nr = edge, number
                operands[i] = GraphTracer.of(t, values[i])
    for k, name in enumerate(plan.names):
        if name == "xs":
            found[k] = tuple([operands.get(i, x) for i, x in enumerate(residuals[k])])
        elif name == "out":
            if results:
                found[k] = tuple(results) if node.outputs > 1 else results[0]
        elif not isinstance(plan, CompositePlan) and name in plan.operands:
            found[k] = operands.get(plan.operands.index(name), residuals[k])
    return tuple(found)


def check_nan(node: Node, found: list) -> None:
    """In anomaly detection: no gradient may hold nan."""
    for k, g in enumerate(found):
        if g is not None:
            value = raw_of(g)
            if isinstance(value, ndarray) and value.dtype.kind in "fc" and np.isnan(value).any():
                raise RuntimeError(f"Function '{node.name()}' returned nan values in its {k}th output.")
