"""The backward walk of the torch face: the core's walk with what torch does around it.

Nodes run from the newest to the oldest; a leaf's gradient is accumulated as soon as it is complete. While gradients are
not themselves recorded, cotangents are plain ndarrays and the core's rules run on them directly. With create_graph they
are tensors, and torch's formulas run on them, or the same rules on GraphTracers.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from operator import attrgetter
from sys import getrefcount
from typing import Any
from weakref import ref

import numpy as np
from numpy import ndarray

from funcgrad.core.array import Array
from funcgrad.core.cotangent import Deferred
from funcgrad.torch.base.dtypes import of_numpy
from funcgrad.torch.base.modes import state
from funcgrad.torch.tensor.formulas import by_formula, fitted
from funcgrad.torch.tensor.gradient_memory import (
    alone,
    as_tensor,
    copied_for,
    dense,
    fit,
    looks_at,
    obeys_layout,
    writeable,
)
from funcgrad.torch.tensor.graph_tracer import GraphTracer
from funcgrad.torch.tensor.node import BY_FORMULA, FREED, AccumulateGrad, Node
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.saved import by_name, check_version, saved_dtype, unpack
from funcgrad.torch.tensor.validity import (
    check_arrived,
    check_kind,
    check_shape,
    expected,
    fit_operand,
    fit_recorded,
    seen_as,
)
from funcgrad.torch.tensor.values import tensor_of, wrapped
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
        cts: the cotangents that have arrived, by node (and number of its output, if it has several).
        owned: those keys whose cotangents are sums made here, so that further terms may be added in place.
        versions: how often torch has written into each.
        shown: the tensor as which a cotangent was seen, so that it is the same object wherever it is seen.
        reached: the nodes that gradients are handed to; None for all.
        runs: those of them that run; wanted ones from which no other wanted one is reached are only looked at.
    """

    def __init__(
        self, roots: list, retain: bool, create_graph: bool, captures: list | None, accumulating: bool
    ) -> None:
        self.number = _walks()
        self.callbacks: list[Callable] = []
        self.retain, self.create_graph = retain, create_graph = retain, create_graph and not state.inference
        self.traced = create_graph or carries_tangents()
        self.order = ordered([node for node, _, _ in roots])
        self.cts: dict[Any, Any] = {}
        self.owned: set = set()
        self.versions: dict[Any, int] = {}
        self.shown: dict[int, Any] = {}
        self.captured: dict[tuple, Any] = {}
        self.wanted: set = set()
        self.targets: set = set()
        self.reached: set | None = None
        self.runs: set | None = None
        if captures is not None:
            self.wanted, self.targets = set() if accumulating else set(captures), {node for node, _ in captures}
            self._restrict(accumulating, roots[0][0] if len(roots) == 1 else None)
        for node, nr, g in roots:
            if self.reached is None or node in self.reached:
                if node.outputs > 1 or g._value.shape != node.shape or g._value.dtype is not node.dtype:
                    g = _fit_root(g, *expected(node, nr))
                value = g
                if not self.traced:
                    value = raw_of(g)
                    self.shown[id(value)] = ref(g)
                self.add(node, nr, value)
        self.leads = counted(self.order)

    def _restrict(self, accumulating: bool, root: Node | None) -> None:
        """Only what leads to the wanted tensors runs; hooks of an only root are called all the same."""
        reached, runs = set(self.targets), set()
        for node in reversed(self.order):
            if any(i in reached for i in node.inputs):
                runs.add(node)
                reached.add(node)
        if accumulating:
            runs |= self.targets
        if root is not None:
            reached.add(root)
            if root not in runs:
                root.slow = True
        self.reached, self.runs = reached, runs
        self.order = [node for node in self.order if node in reached]

    def will_run(self, node: Node) -> bool:
        """Whether this walk computes the gradient of a node's outputs."""
        return node in set(self.order)

    def add(self, node: Node, nr: int, ct: Any, g: Any = None, given: tuple = (), kept: tuple = ()) -> None:
        """A cotangent arrives at an output of a node.

        Arguments:
            node, nr: the output.
            ct: the cotangent.
            g, kept: what the rule was given that gave it.
            given: all that it gave, if it gave several.
        """
        key = node if node.outputs == 1 else (node, nr)
        cts, versions = self.cts, self.versions
        if key not in cts:
            cts[key] = ct
            return
        total = cts[key]
        if self.traced:
            cts[key] = total + ct
        elif key in self.owned:
            versions[key] += 1
            cts[key] = total + ct
        else:
            within = sum([x is total for x in given])
            holders = 1 + within + (2 if total is g else 0)
            in_place = isinstance(total, Deferred) or (within < 2 and total is not ct and alone(total, holders))
            versions[key] = versions.get(key, 0) + 1 if in_place else 0
            if in_place and type(total) is type(ct) is ndarray and total.flags.writeable:
                total += ct
                self.owned.add(key)
            else:
                accumulate(cts, self.owned, key, ct, g, given, kept)

    def run(self) -> None:
        """Run all nodes. The loop is for recorded primitives without hooks; the others go to `run_slow`."""
        before, outer = state.grad, state.walk
        state.grad, state.walk = self.create_graph, self
        fast = not (self.traced or state.anomaly)
        cts, owned_, leads, targets, reached = self.cts, self.owned, self.leads, self.targets, self.reached
        versions = self.versions
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
                            saved, kept = node.saved, node.residuals
                            if saved is None:
                                raise RuntimeError(FREED)
                            for place, (_, counter, version) in enumerate(saved):
                                if counter is not None and counter[0] != version and check_version(node, place):
                                    kept = unpacked_residuals(node, False)
                            plan, written = node.plan, node.written
                            found = plan.pull(g, kept)
                            if plan.single:
                                found = (found,)
                            for i, nr, ct in zip(node.inputs, node.numbers, found):  # noqa: B905  (one for each)
                                if reached is not None and i not in reached:
                                    continue
                                if i.outputs == 1:
                                    version = written
                                    if plan.checked and (ct.shape != i.shape or ct.dtype is not i.dtype):
                                        version = 0
                                        known = i.dtype is ct.dtype and not i.slow
                                        ct = fit(ct, i.shape, i.dtype) if known else fit_operand(node, i, 0, ct)
                                    if i not in cts:
                                        cts[i] = ct
                                        if version:
                                            versions[i] = version
                                        elif node in versions and looks_at(ct, g):
                                            versions[i] = versions[node]
                                    elif i in owned_ and type(ct) is ndarray:
                                        cts[i] += ct
                                        versions[i] += 1
                                    else:
                                        self.add(i, nr, ct, g, found, kept)
                                else:
                                    if plan.checked:
                                        ct = fit_operand(node, i, nr, ct)
                                    self.add(i, nr, ct, g, found, kept)
                            g = found = kept = ct = None
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

    def tensor(self, ct: Any, version: int = 0) -> Any:
        """A cotangent as hooks and Python functions see it."""
        if ct is None:
            return None
        if isinstance(ct, Deferred):
            ct = ct.dense()
        if not isinstance(ct, (ndarray, Array, np.generic)):
            return ct
        seen = self.shown.get(id(ct))
        t = None if seen is None else seen()
        if t is not None and t._value is ct:
            return t
        t = as_tensor(writeable(ct) if type(ct) is ndarray else ct, version, self.shown)
        self.shown[id(t._value)] = ref(t)
        return t

    def run_slow(self, node: Node) -> None:
        """Run a node of any kind, in terms of tensors; anomaly detection says where an error comes from."""
        if not state.anomaly:
            self._run(node)
            return
        try:
            self._run(node)
        except Exception:
            from funcgrad.torch.tensor.anomaly_mode import report

            report(node)
            raise

    def _check(self, node: Node) -> None:
        """Check the gradients that arrived at a node whose results have got other shapes or dtypes since."""
        for nr in node._replaced:
            key, wanted = node if node.outputs == 1 else (node, nr), expected(node, nr)
            ct = self.cts.get(key)
            if ct is None or _described(ct) == wanted:
                continue
            by = next((i for i in self.order if node in i.inputs and seen_as(node, nr, i.number)), None)
            if by is None:
                continue
            if self.traced:
                check_arrived(by, node, nr, raw_of(ct))
                self.cts[key] = fitted(ct, *wanted)
            else:
                ct = ct.dense() if isinstance(ct, Deferred) else ct
                check_arrived(by, node, nr, ct)
                self.cts[key] = fit(ct, *wanted)

    def _run(self, node: Node) -> None:
        if getattr(node, "_replaced", None):
            self._check(node)
        runs = self.runs is None or node in self.runs
        if node.outputs == 1:
            if (
                type(node) is AccumulateGrad
                and runs
                and not (self.traced or (self.wanted and node in self.targets) or has_hooks(node))
            ):
                self.accumulate(node, None)
                return
            grads = [self._take(node)]
        else:
            grads = [self._take((node, k)) for k in range(node.outputs)]
        if all(g is None for g in grads) and not node.runs_on_nothing:
            return
        if not runs:
            grads = tensor_hooks(node, grads)
        for k, g in enumerate(grads):
            if (node, k) in self.wanted:
                self.captured[node, k] = g
        g = None
        if not runs:
            return
        grads = before_hooks(node, grads)
        if type(node) is AccumulateGrad:
            if grads[0] is not None:
                self.accumulate(node, grads)
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
        given = tuple(linked_only(node, found))
        found, grads, g = [], [], None
        if self.traced:
            for i, nr, ct in zip(node.inputs, node.numbers, given, strict=True):
                if ct is not None and (self.reached is None or i in self.reached):
                    self.add(i, nr, ct)
            return
        written = [0 if t is None or t._counter is None else t._counter[0] for t in given]
        for t in given:
            if t is not None and t._plain:
                self.shown[id(t._value)] = ref(t)
        given = tuple([None if t is None else raw_of(t) for t in given])
        t = None
        for i, nr, ct, version in zip(node.inputs, node.numbers, given, written, strict=True):
            if ct is not None and (self.reached is None or i in self.reached):
                key = i if i.outputs == 1 else (i, nr)
                if version and key not in self.cts:
                    self.versions[key] = version
                self.add(i, nr, ct, None, given)

    def _take(self, key: Any) -> Any:
        """The cotangent that has arrived, as a tensor."""
        self.owned.discard(key)
        ct, version = self.cts.pop(key, None), self.versions.pop(key, 0)
        kind = getattr(key, "dtype", None)
        if kind is not None and type(ct) is ndarray and ct.dtype != kind:  # half precision, of which a rule gave more
            ct = ct.astype(kind)
        return self.tensor(ct, version)

    def accumulate(self, node: AccumulateGrad, grads: list | None) -> None:
        """Add a gradient to that of a leaf: in place, unless gradients are recorded.

        Arguments:
            node: that of the leaf.
            grads: the gradient, as a tensor; None if it is the cotangent that has arrived.
        """
        leaf = node.variable
        g: Any
        if grads is None:
            version, g = self.versions.pop(node, 0), self.cts.pop(node)
            self.owned.discard(node)
            if isinstance(g, Deferred):
                g = g.dense()
            value = g if type(g) is ndarray or isinstance(g, Array) else np.asarray(g)
            free = getrefcount(value) <= (3 if value is g else 2)
        else:
            g = grads[0]
            version, value = 0 if g._counter is None else g._counter[0], raw_of(g)
            free = getrefcount(g) <= 3 and getrefcount(value) <= 3
        if not leaf._requires:  # switched off since it was recorded
            return
        old = leaf._grad
        with np.errstate(all="ignore"):
            if old is None:
                if self.create_graph:
                    leaf._grad = copied_like(leaf, g)
                else:
                    if type(value) is ndarray and type(leaf._value) is ndarray:
                        value = writeable(value)
                        if value.dtype != node.dtype:  # half precision, of which a rule gave more
                            value, version = value.astype(node.dtype), 0
                        if not (free and self._is_loose(value) and obeys_layout(value, leaf._value)):
                            value, version = copied_for(leaf._value, value)
                    leaf._grad = as_tensor(value, version, view=False)
            elif self.create_graph or isinstance(old._value, Array) or isinstance(value, Array):
                leaf._grad = old + (g if grads is not None else self.tensor(g))
            else:
                into = old._value if old._plain else old._resolved()
                if into.shape != value.shape:
                    check_broadcast((into, value))
                np.add(into, value, out=into, casting="unsafe")
                old._bump()
        hooks = leaf._post_accumulate_hooks
        if hooks:
            for hook in list(hooks.values()):
                if hook(leaf) is not None:
                    raise RuntimeError("Tensor post accumulate grad hooks should return None.")

    def _is_loose(self, value: ndarray) -> bool:
        """Whether what looks at other memory may be taken over: nobody holds that, or a caller gave it."""
        base = value.base
        return base is None or getrefcount(base) <= 3 or id(base) in self.shown


def has_hooks(node: AccumulateGrad) -> bool:
    """Whether somebody wants to see the gradient of a leaf before it is accumulated."""
    return bool(
        getattr(node, "_tensor_hooks", None) or getattr(node, "_pre_hooks", None) or getattr(node, "_post_hooks", None)
    )


def _fit_root(g: Any, shape: tuple[int, ...], kind: np.dtype) -> Any:
    """The gradient that a walk starts with, as what its node expects."""
    if g._value.shape != shape:
        check_shape(g._value.shape, shape)
        g = g.sum_to_size(shape)
    if g._value.dtype != kind:
        check_kind(g._value.dtype, kind)
        g = g.to(of_numpy(kind))
    return g


def _described(ct: Any) -> tuple:
    x = getattr(ct, "_value", ct)
    return x.shape, x.dtype


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
    from funcgrad.torch.tensor.tensor import Tensor

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
    if (create_graph and state.grad) or node.title in BY_FORMULA:
        made = by_formula(node, grads)
        if made is not None:
            for k, i, nr in zip(node.linked, node.inputs, node.numbers, strict=True):
                if made[k] is not None:
                    if node.written and made[k]._counter is None:
                        made[k]._counter = [node.written]
                    made[k] = fit_recorded(node, i, nr, made[k])
            return made[: node.edge_count()]
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
    pulled = (found,) if plan.single else found
    out: list[Any] = [None] * max(node.edge_count(), len(plan.operands))
    shown = {id(ct): ref(g) for ct, g in zip(cts, grads, strict=True) if g is not None}
    for g in grads:
        if g is not None and g._view is not None:
            shown[id(g._view.base._value)] = ref(g._view.base)
    reached = None if state.walk is None else state.walk.reached
    if reached is not None and node not in reached:  # it is run by CopySlices, whose own edges these are not
        reached = None
    for k, i, nr, ct in zip(node.linked, node.inputs, node.numbers, pulled, strict=True):
        if ct is None or (reached is not None and i not in reached):  # nobody asked for it
            continue
        if isinstance(ct, Deferred):
            ct = ct.dense()
        shape, _ = expected(i, nr)
        given = ct
        if create_graph and state.grad and not state.transforms:
            ct = fit_recorded(node, i, nr, tensor_of(ct))
        else:
            ct = fit_operand(node, i, nr, ct)
        if create_graph:
            t = out[k] = tensor_of(ct)
            if node.written and given.shape == shape and t._counter is None:
                t._counter = [node.written]
            continue
        known = shown.get(id(ct))
        out[k] = None if known is None else known()
        if out[k] is None or out[k]._value is not ct:
            value = ct if isinstance(ct, Array) else writeable(np.asarray(ct))
            out[k] = as_tensor(value, node.written if ct is given else 0, shown)
            shown[id(ct)] = ref(out[k])
    return out[: node.edge_count()] if node.edge_count() < len(out) else out


def unpacked_residuals(node: Node, create_graph: bool) -> Any:
    """The residuals with saved tensors checked and unpacked; as GraphTracers where gradients are recorded."""
    saved = node.saved
    packed = getattr(node, "_packed", None)
    if packed is None and not create_graph:
        replaced = False
        for place, (_, counter, version) in enumerate(saved):
            if counter is not None and counter[0] != version:
                replaced |= check_version(node, place)
        if not replaced:
            return node.residuals
    from funcgrad.torch.tensor.composite import CompositePlan
    from funcgrad.torch.tensor.tensor import Tensor

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
