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
from funcgrad.torch.tensor.anomaly_mode import report
from funcgrad.torch.tensor.formulas import fitted
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
from funcgrad.torch.tensor.hooks import after_hooks, before_hooks, has_hooks, tensor_hooks
from funcgrad.torch.tensor.members import member_of
from funcgrad.torch.tensor.node import AccumulateGrad, Node
from funcgrad.torch.tensor.promotion import check_broadcast
from funcgrad.torch.tensor.run_node import call_node, check_nan, unpacked_residuals
from funcgrad.torch.tensor.validity import check_arrived, check_kind, check_shape, expected, fit_operand, seen_as
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import graph as texts
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
        observer: what looks on at all walks; then every node runs in terms of tensors. None: nobody does.
    """

    observer: Any = None

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
                    value = raw(g)
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
        """Run all nodes that gradients arrive at."""
        before, outer = state.grad, state.walk
        state.grad, state.walk = self.create_graph, self
        try:
            with np.errstate(all="ignore"):
                self._run_in_order()
        finally:
            state.grad, state.walk = before, outer

    def _run_in_order(self) -> None:
        """Run the nodes from the newest to the oldest, and each leaf as soon as its gradient is complete."""
        cts, leads, targets = self.cts, self.leads, self.targets
        run_fast = self._run_fast
        fast = not (self.traced or state.anomaly or self.observer is not None)
        for node in self.order:
            if type(node) is AccumulateGrad:
                if node not in leads and node in cts:
                    self.run_slow(node)
                continue
            if fast and not (node.slow or (targets and node in targets)):
                run_fast(node, cts, self.versions)
            else:
                self.run_slow(node)
            if leads:
                for i in node.inputs:
                    if type(i) is AccumulateGrad:
                        leads[i] -= 1
                        if not leads[i] and i in cts:
                            self.run_slow(i)

    def _run_fast(self, node: Node, cts: dict, versions: dict) -> None:
        """Run a recorded primitive without hooks: its rule, on ndarrays."""
        reached = self.reached
        g = cts.pop(node, None)
        if g is None:
            return
        if type(g) is not ndarray and isinstance(g, Deferred):
            g = g.dense()
        saved, kept = node.saved, node.residuals
        if saved is None:
            raise RuntimeError(texts.FREED)
        for _, counter, version in saved:
            if counter is not None and counter[0] != version:
                kept = unpacked_residuals(node, False)
                break
        plan = node.plan
        found = plan.pull(g, kept)
        if plan.single:
            found = (found,)
        for i, nr, ct in zip(node.inputs, node.numbers, found):  # noqa: B905  (one for each)
            if reached is not None and i not in reached:
                continue
            if i.outputs > 1:
                self.add(i, nr, fit_operand(node, i, nr, ct) if plan.checked else ct, g, found, kept)
                continue
            version = node.written
            if plan.checked and (ct.shape != i.shape or ct.dtype is not i.dtype):
                version = 0
                known = i.dtype is ct.dtype and not i.slow
                ct = fit(ct, i.shape, i.dtype) if known else fit_operand(node, i, 0, ct)
            if i not in cts:
                cts[i] = ct
                if version:
                    versions[i] = version
                elif versions and node in versions and looks_at(ct, g):
                    versions[i] = versions[node]
            elif i in self.owned and type(ct) is ndarray:
                cts[i] += ct
                versions[i] += 1
            else:
                self.add(i, nr, ct, g, found, kept)
        if saved and not self.retain:
            node.release()

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
        except Exception:  # of any kind, from hooks and Functions of the user's, too
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
                check_arrived(by, node, nr, raw(ct))
                self.cts[key] = fitted(ct, *wanted)
            else:
                ct = ct.dense() if isinstance(ct, Deferred) else ct
                check_arrived(by, node, nr, ct)
                self.cts[key] = fit(ct, *wanted)

    def _run(self, node: Node) -> None:
        if getattr(node, "_replaced", None):
            self._check(node)
        runs = self.runs is None or node in self.runs
        if type(node) is AccumulateGrad and runs:
            seen = self.traced or (self.wanted and node in self.targets) or has_hooks(node)
            if not seen:
                self.accumulate(node, None)
                return
        self._hand_on(node, self._pulled(node, runs))

    def _hand_on(self, node: Node, found: list | None) -> None:
        """Let the gradients of a node's operands arrive where they come from."""
        if found is None:
            return
        given = tuple([found[i] for i in node.linked])
        found = None  # nobody else shall hold what is handed on
        if self.traced:
            for i, nr, ct in zip(node.inputs, node.numbers, given, strict=True):
                if ct is not None and (self.reached is None or i in self.reached):
                    self.add(i, nr, ct)
            return
        written = [0 if t is None or t._counter is None else t._counter[0] for t in given]
        for t in given:
            if t is not None and t._plain:
                self.shown[id(t._value)] = ref(t)
        given = tuple([None if t is None else raw(t) for t in given])
        t = None
        for i, nr, ct, version in zip(node.inputs, node.numbers, given, written, strict=True):
            if ct is not None and (self.reached is None or i in self.reached):
                key = i if i.outputs == 1 else (i, nr)
                if version and key not in self.cts:
                    self.versions[key] = version
                self.add(i, nr, ct, None, given)

    def _pulled(self, node: Node, runs: bool) -> list | None:
        """The gradients of a node's operands, as tensors that hooks have seen; None if there are none to hand on.

        What arrived at a leaf is accumulated, and what arrived where it was asked for is captured.
        """
        if node.outputs == 1:
            grads = [self._take(node)]
        else:
            grads = [self._take((node, k)) for k in range(node.outputs)]
        if all(g is None for g in grads) and not node.runs_on_nothing:
            return None
        if not runs:
            grads = tensor_hooks(node, grads)
        if self.wanted:
            for k in range(node.outputs):
                if (node, k) in self.wanted:
                    self.captured[node, k] = grads[k]
        if not runs:
            return None
        if self.observer is not None:
            self.observer.begins(node, grads)
        grads = before_hooks(node, grads)
        if type(node) is AccumulateGrad:
            if grads[0] is not None:
                self.accumulate(node, grads)
                after_hooks(node, [], grads)
            return None
        found = call_node(node, grads, self.traced, hooked=False)
        if self.observer is not None:
            self.observer.ran(node, grads, found)
        if self.reached is not None:
            for k, i in zip(node.linked, node.inputs, strict=True):
                if i not in self.reached:
                    found[k] = None
        found = after_hooks(node, found, grads)
        if state.anomaly and state.anomaly_nan:
            check_nan(node, found)
        if not self.retain:
            node.release()
        return found

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
            version, value = 0 if g._counter is None else g._counter[0], raw(g)
            free = getrefcount(g) <= 3 and getrefcount(value) <= 3
        if not leaf._requires:  # switched off since it was recorded
            return
        if self.observer is not None:
            self.observer.arrived(leaf, value)
        old = leaf._grad
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


def copied_like(leaf: Any, g: Any) -> Any:
    """A recorded copy of a gradient, in the memory layout of its leaf."""
    if isinstance(leaf._value, Array) or not dense(leaf._value):
        return g.clone()
    return g.new_empty_strided(leaf.shape, leaf.stride()).copy_(g)


def current_walk() -> Walk:
    """The walk that is running in this thread."""
    if state.walk is None:
        raise AssertionError("expected this hook to be called inside a backward call")
    return state.walk


@member_of(Node, name="__call__")
def _run_alone(self: Any, *grads: Any, **named: Any) -> Any:
    """Run the node on gradients of its outputs; gives those of its inputs."""
    if named:
        raise TypeError("keyword arguments are not supported")
    given = _of_all_outputs(self, grads)
    for k, g in enumerate(given):
        if g is not None and not hasattr(g, "_value"):
            raise TypeError(f"argument {k} is not a Variable")
    if type(self) is AccumulateGrad:
        if given[0] is not None:
            Walk([(self, 0, given[0])], True, state.grad, None, False).run()
        return ()
    found = call_node(self, list(given), state.grad or carries_tangents())
    return found[0] if len(found) == 1 else tuple(found)


def _of_all_outputs(node: Node, grads: tuple) -> tuple:
    """Gradients of the outputs that have one, with None for those that are integers."""
    floating = [True] if node.outputs == 1 else [d.kind not in "iub" for d in node.dtype]
    if len(grads) != sum(floating):
        raise TypeError(f"expected {sum(floating)} arguments, got {len(grads)} instead")
    given = iter(grads)
    return tuple([next(given) if f else None for f in floating])
