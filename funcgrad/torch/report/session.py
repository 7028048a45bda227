"""`Session`: what one run of a program has shown, summed up by line and by parameter."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakSet, ref

import numpy as np

from funcgrad.torch.base.modes import state
from funcgrad.torch.report.calls import Calls, array_of, largest, nonzero, tensors_in
from funcgrad.torch.report.causes import bad_cause, constant_terms, lost_causes, zero_cause
from funcgrad.torch.report.entries import Entry, Log
from funcgrad.torch.report.leaves import Cause, Leaf, Leaves, Names, mark
from funcgrad.torch.report.places import Place
from funcgrad.torch.report.walks import Observer, size
from funcgrad.torch.tensor.node import next_number
from funcgrad.torch.tensor.tensor import Tensor

KEPT = 60
"""As many events of a kind are remembered in full: the first ones, and as many of the last."""


@dataclass(slots=True, eq=False)
class Optimiser:
    """What an optimiser did.

    Attributes:
        place: where it was made.
        leaves: the keys of its leaves.
        steps: how often step ran; places: where.
        empty: in how many of them no leaf had a gradient; all_stale: those that a step had used already.
        zero_rate: in how many of them the learning rate was 0; largest_rate: the largest one of all.
        scheduled: where a schedule was made for it.
    """

    key: int
    held: ref
    kind: str
    place: Place
    leaves: list[int] = field(default_factory=list)
    steps: int = 0
    empty: int = 0
    zero_rate: int = 0
    all_stale: int = 0
    places: Counter = field(default_factory=Counter)
    largest_rate: float = 0.0
    scheduled: Place | None = None


@dataclass(slots=True, eq=False)
class Backward:
    """One call of backward or autograd.grad."""

    number: int
    place: Place
    losses: list[Entry]
    value: float | None
    roots: list[int]
    asked: bool


@dataclass(slots=True, eq=False)
class Failure:
    """The call during which an exception was raised."""

    error: BaseException
    name: str
    args: list[int]
    place: Place
    node: Any = None


class Session:
    """Everything that was seen."""

    def __init__(self) -> None:
        self.log, self.leaves = Log(), Leaves()
        self.calls = Calls(self.log, self.leaves)
        self.names = Names(self.leaves)
        self.optimisers: dict[int, Optimiser] = {}
        self.modules: Any = WeakSet()
        self.attributes: dict[tuple[int, str], Place] = {}
        self.replaced: dict[int, tuple[Place, str]] = {}  # leaves that a module has no more: where, the attribute
        self.asked_module: Any = None
        self.backwards: list[Backward] = []
        self.count = 0
        self.losses: deque[float] = deque(maxlen=KEPT)
        self.first_loss: float | None = None
        self.roots: deque[tuple[int, Place]] = deque(maxlen=2000)  # (number of root, place) of walks
        self.warnings: dict[tuple, tuple[str, Place]] = {}
        self.failure: Failure | None = None
        self.cut_region: Place | None = None
        self.asked_for: list[Any] = []  # the inputs of the autograd.grad that failed
        self.bad_losses: Counter = Counter()
        self.constants: Counter = Counter()  # terms of a loss through which no gradient passes
        self.totals = 0  # how many losses were looked at for them
        self.constant_leaves: dict[Cause, set[int]] = {}
        self.clips: Counter = Counter()
        self.clips_empty: Counter = Counter()
        self.clips_to_zero: Counter = Counter()
        self.non_leaf_reads: dict[tuple, tuple[Entry | None, Place]] = {}
        self.plain_reads: dict[tuple, tuple[Entry | None, Place]] = {}
        self.hooks: dict[int, Place] = {}  # of tensors, by the id of the function
        self.module_hook: Place | None = None  # where the last backward hook of a module was registered
        self.walked = 0  # the last entry before the last backward()
        self.broken: BaseException | None = None  # what failed in looking on
        self.draws = False  # whether a picture of the first walk is wanted
        self.graph = ""

    # Backward.

    def leaf(self, tensor: Any) -> Leaf:
        """The record of a tensor that a gradient arrived at."""
        return self.calls.leaf_of(tensor)

    def began(self, tensors: list[Any], place: Place, asked: bool) -> Backward:
        """A walk from these tensors is about to begin."""
        self.count += 1
        self.calls.walks = self.count
        losses = [self.calls.entry_of(t) for t in tensors]
        value = None
        if len(tensors) == 1 and (array := array_of(tensors[0])) is not None and array.size == 1:
            value = float(np.real(array.reshape(-1)[0]))
        numbers = [int(t._node.number) for t in tensors if t._node is not None]
        event = Backward(self.count, place, losses, value, numbers, asked)
        if len(self.backwards) < KEPT:
            self.backwards.append(event)
        if value is not None and not asked:
            self.losses.append(value)
            if self.first_loss is None:
                self.first_loss = value
        return event

    def ended(self, event: Backward, observer: Observer, inputs: list[Any], grads: list[Any]) -> None:
        """The walk has ended: what arrived where, and what did not and why."""
        reached = dict(observer.reached)
        if event.asked:
            for x, g in zip(inputs, grads, strict=False):
                if not hasattr(x, "_value") or not x.is_leaf:
                    continue
                leaf = self.leaf(x)
                leaf.asked += 1
                if g is not None:
                    reached[leaf.key] = size(g)
                    observer.nodes.setdefault(leaf.key, x._accumulate() if x._accumulate is not None else None)
        for key, arrived in reached.items():
            if key not in self.leaves.by_key:
                continue
            leaf = self.leaves.by_key[key]
            leaf.walks += 1
            leaf.asked_only = leaf.asked_only and event.asked
            self._outdated(leaf, event, observer)
            if not arrived.finite:
                leaf.bad += 1
                if leaf.bad <= KEPT:
                    leaf.bads[bad_cause(self, event, observer, observer.nodes.get(key))] += 1
            elif arrived.zero:
                leaf.zero += 1
                if leaf.zero <= KEPT:
                    leaf.zeros[zero_cause(self, event, observer, leaf)] += 1
            else:
                leaf.nonzero += 1
        if event.value is not None and not np.isfinite(event.value):
            self.bad_losses[bad_cause(self, event, observer, None)] += 1
        if event.asked:
            wanted = [self.leaf(x) for x in inputs if hasattr(x, "_value") and x.is_leaf]
            missing = [leaf for leaf in wanted if leaf.key not in reached]
        else:
            missing = [leaf for leaf in self.leaves.alive() if leaf.key not in reached]
        if missing and (event.number <= 300 or event.number % 50 == 0):
            for leaf, cause in lost_causes(self, event, observer, missing):
                leaf.lost[cause] += 1
        if event.number <= 300 or event.number % 50 == 0:
            self.totals += not event.asked
            for cause, keys in constant_terms(self, event):
                self.constants[cause] += 1
                known = self.constant_leaves.setdefault(cause, set())
                known.update(keys if len(known) < KEPT else ())
        if not event.asked:
            self.walked = self.log.last

    def _outdated(self, leaf: Leaf, event: Backward, observer: Observer) -> None:
        """Whether a gradient is that of values that a step has changed since they were used."""
        node = observer.nodes.get(leaf.key)
        edges = observer.into.get(node, []) if leaf.stepped_at and not event.asked else []
        numbers = [int(e.node.number) for e in edges]
        if numbers and min(numbers) < leaf.stepped_at:
            entry = self.log.of_node(min(edges, key=lambda e: int(e.node.number)).node)
            leaf.outdated = (entry.place if entry is not None else event.place, event.place)
        elif numbers:
            leaf.outdated = None

    def accumulates(self, leaf: Leaf, old: Any, place: Place) -> None:
        """A gradient is added to what is there."""
        if old is None or not nonzero(old):
            leaf.mixed = None
        elif leaf.used is not None and leaf.used == mark(old):
            leaf.mixed = place
        leaf.read_again = leaf.read if old is not None and nonzero(old) else None
        leaf.read = None
        leaf.fresh, leaf.arrived, leaf.arrived_at = True, place, self.log.last
        if leaf.used is not None and (old is None or not nonzero(old)):
            leaf.used = None

    # Optimisers.

    def optimiser(self, optimizer: Any, place: Place) -> Optimiser:
        """The record of an optimiser."""
        known = self.optimisers.get(id(optimizer))
        if known is not None and known.held() is optimizer:
            return known
        known = Optimiser(len(self.optimisers) + 1, ref(optimizer), type(optimizer).__name__, place)
        old = self.optimisers.pop(id(optimizer), None)
        if old is not None:
            self.optimisers[-old.key] = old
        self.optimisers[id(optimizer)] = known
        return known

    def given(self, optimizer: Any, place: Place) -> None:
        """An optimiser was made, or was given more parameters."""
        known = self.optimiser(optimizer, place)
        for group in optimizer.param_groups:
            for p in group["params"]:
                leaf = self.leaf(p)
                if known.key not in leaf.optimisers:
                    leaf.optimisers.append(known.key)
                    known.leaves.append(leaf.key)

    def stepping(self, optimizer: Any, place: Place, closure: bool, again: bool = False) -> None:
        """A step is about to run.

        Arguments:
            closure: whether it computes the gradients itself, by a closure.
            again: whether the closure has done so.
        """
        known = self.optimiser(optimizer, place)
        self.given(optimizer, place)
        if not again:
            known.steps += 1
            known.places[place] += 1
        if closure:
            return
        given = [g["lr"] for g in optimizer.param_groups if "lr" in g]
        rates = [float(r._value.max()) if isinstance(r, Tensor) else float(r) for r in given]
        if rates:
            known.largest_rate = max(known.largest_rate, *rates)
            known.zero_rate += all(r == 0 for r in rates)
        fresh = any(self.leaf(p).fresh for g in optimizer.param_groups for p in g["params"])
        any_gradient = old = False
        for group in optimizer.param_groups:
            for p in group["params"]:
                leaf = self.leaf(p)
                if p._grad is None or (value := array_of(p._grad)) is None or not nonzero(value):
                    continue
                any_gradient = True
                if leaf.mixed is not None:
                    leaf.doubled[leaf.mixed] += 1
                if leaf.outdated is not None:
                    leaf.old[leaf.outdated] += 1
                now = mark(value)
                if not leaf.fresh and leaf.used == now:
                    leaf.stale[place] += 1
                    old = True
                leaf.fresh, leaf.used = False, now
        for group in optimizer.param_groups:
            for p in group["params"]:
                self.leaf(p).fresh = False
        known.empty += not any_gradient and not fresh
        known.all_stale += any_gradient and old and not fresh

    def stepped(self, optimizer: Any) -> None:
        """A step has run."""
        last = next_number()
        for group in optimizer.param_groups:
            for p in group["params"]:
                leaf = self.leaf(p)
                self.measure(leaf, p)
                if p._grad is not None:
                    leaf.stepped_at = last

    def measure(self, leaf: Leaf, p: Any) -> None:
        """How large the values of a leaf have become."""
        value = array_of(p)
        now = largest(value) if value is not None and value.dtype.kind == "f" else 0.0
        if np.isfinite(now):
            leaf.largest = max(leaf.largest, now)

    def clearing(self, tensors: Any, place: Place) -> None:
        """Gradients are about to be cleared."""
        for p in tensors:
            leaf = self.leaves.of(p)
            if leaf is None or p._grad is None:
                continue
            value = array_of(p._grad)
            if value is not None and nonzero(value):
                if leaf.fresh:
                    leaf.discarded[place] += 1
                leaf.cleared = place
            leaf.fresh, leaf.used, leaf.mixed, leaf.outdated = False, None, None, None

    def stop(self, error: BaseException) -> None:
        """Looking on failed: say so in the report."""
        self.broken = self.broken or error

    # Calls that failed.

    def failed(self, name: str, args: Any, error: BaseException, place: Place, node: Any = None) -> None:
        """An exception went through a call."""
        if self.failure is not None and self.failure.error is error:
            return
        if state.transforms:
            return
        entries = [self.calls.entry_of(t).number for t in tensors_in(args)]
        self.failure = Failure(error, name, entries, place, node)
