"""Why elements of a gradient are zero: the first operation on each path at which nothing comes back.

A gradient is zero where every path from the element to the result is blocked. The blocked elements are followed forward
from the input. At an operation an element is in one of these states:

    cut         no derivative flows from this operand at all: the operation has none, and its record says why;
    flat        one does, but the partial derivatives of all results by this element are zero here;
    downstream  they are not, but no cotangent arrives at any result that the element contributes to: go on there;
    live        a cotangent comes back, but the sum over all uses of the value is zero.

If no path is without a cut, the numbers do not matter, and the cuts are all that counts.

Which results an element contributes to, and whether any derivative by it is there, is found out with the rules
themselves: what a rule gives for a random cotangent is zero where the Jacobian has a column of zeros, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

import numpy as np

from funcgrad.core.array import is_inexact
from funcgrad.debug.explain.kinds import (
    CALLS,
    CANCELLED,
    DECISIONS,
    INDEX,
    UNDERFLOW,
    has_rule,
    kind_of_cut,
    kind_of_flat,
    rank,
)
from funcgrad.debug.explain.places import Place
from funcgrad.debug.explain.record import Recording, Step, Value
from funcgrad.debug.report import is_elementwise


class Cause:
    """Why elements of some gradients are zero.

    Attributes:
        kind: in one word; the table in docs/explain.md has them all.
        place: the line, or None if it is unknown.
        step, operand: the operation, and which of its operands is meant; None where there is no operation.
        elements, size: in how many elements of the operand, and how many it has, added up over all steps of a loop.
        steps: how many operations were put together, as those of a loop.
        sample: the number that the operand has in the first of the elements.
        others: the lines of further terms of a sum that is zero.
        action: by which a value became a plain number, or decided something.
        vain: of a cut: whether no derivative would reach the result without it either.
    """

    def __init__(self, kind: str, place: Place | None, step: Step | None, operand: int, mask: Any) -> None:
        self.kind, self.place, self.step, self.operand = kind, place, step, operand
        self.elements, self.size, self.steps = int(np.count_nonzero(mask)), int(np.size(mask)), 1
        self.sample = None if step is None else _at(step.values[operand], mask)
        self.others: tuple[Place | None, ...] = ()
        self.action, self.vain = "", False

    @property
    def key(self) -> tuple:
        """What causes that are told as one have in common: those of a loop, and those of the parts of one function."""
        name = getattr(self._operation, "name", None)
        call = self.place is not None and self.place.call in CALLS
        return self.kind, self.place, None if call else (name, self.operand), self.others

    @property
    def inside(self) -> bool:
        """Whether it is an operation inside of a function of ours that is known by another name."""
        call = None if self.place is None else self.place.call
        return call is not None and call not in ("index", "stop_gradient", getattr(self._operation, "name", None))

    @property
    def whole(self) -> bool:
        """Whether it concerns all elements of the operand."""
        return self.elements == self.size

    def plus(self, other: Cause) -> None:
        """Take in another one with the same key."""
        self.elements += other.elements
        if self._operation is other._operation:
            self.size, self.steps = self.size + other.size, self.steps + other.steps
        self.elements = min(self.elements, self.size)

    @property
    def _operation(self) -> Any:
        return None if self.step is None else self.step.operation


def _at(x: Any, mask: Any) -> Any:
    """The number in the first place that a mask marks."""
    x = np.asarray(x)
    return x[np.unravel_index(np.argmax(mask), x.shape)] if x.size and x.shape == np.shape(mask) else None


class Causes:
    """Finds the causes in a recording.

    Arguments:
        recording: of a function.
        cotangents: of its values, rounding errors taken out.
        outputs: the Values of its results.
    """

    def __init__(self, recording: Recording, cotangents: dict[Value, Any], outputs: Iterable[Value]) -> None:
        self.cotangents = cotangents
        outputs = set(outputs)
        self.reached = _leading(recording, outputs)
        self.informing = _leading(recording, _values_that_left(recording))
        self._able = _able(recording, outputs)
        self._random = np.random.default_rng(0)
        self._of_whole: dict[Value, tuple[list[Cause], list[tuple[Value, Any]]]] = {}

    def of(self, x: Value, mask: Any) -> list[Cause]:
        """The causes for the elements of an input whose gradient is zero."""
        if x not in self.reached:
            return [self._unreached(x)]
        found: dict[tuple, Cause] = {}
        pending, order = {x: mask}, [x.number]
        values = {x.number: x}
        while order:
            value = values.pop(heappop(order))
            causes, onward = self._at(value, pending.pop(value))
            for c in causes:
                if c.key in found:
                    found[c.key].plus(c)
                else:
                    found[c.key] = c
            for v, m in onward:
                if v in pending:
                    pending[v] = pending[v] | m
                else:
                    pending[v], values[v.number] = m, v
                    heappush(order, v.number)
        return _worth_telling(list(found.values()))

    def cut(self, step: Step, k: int, mask: Any) -> Cause:
        """The cause that an operation without a derivative by an operand is."""
        cause = Cause(kind_of_cut(step, k), step.place, step, k, mask)
        cause.vain = self._able.isdisjoint(step.results)
        return cause

    def _unreached(self, x: Value) -> Cause:
        """Why an input does not reach the result."""
        if x in self.informing:
            place, action, cut = _departure(x)
            kind = "indices" if action == INDEX else "branch" if action in DECISIONS else "python"
            cause = Cause(kind, place, None, 0, np.True_)
            cause.action, cause.others = action, (cut,) if cut not in (None, place) else ()
            return cause
        last = _end(x)
        if last.touched is not None:
            return Cause("shape", last.touched, last.step, 0, np.True_)
        return Cause("unused", None if last.step is None else last.step.place, last.step, 0, np.True_)

    def _at(self, x: Value, mask: Any) -> tuple[list[Cause], list[tuple[Value, Any]]]:
        """The causes at the operations that use a value, and where its other elements go on to."""
        whole = bool(np.all(mask))
        if whole and x in self._of_whole:
            causes, onward = self._of_whole[x]
            return [_copy(c) for c in causes], onward
        found: list[tuple[Cause, Any]] = []
        onward = []
        explained = np.zeros(x.shape, bool)
        terms: list[Place | None] = []
        live = np.zeros(x.shape, bool)
        for step, k in x.uses:
            if not any(result in self.reached for result in step.results):
                continue
            through = [r for r in step.results if r.linked and r in self.reached]
            if k not in step.linked or not through:
                found.append((self.cut(step, k, mask), mask))
                continue
            leads = not self._able.isdisjoint(through)  # and not only to what decides
            if x not in self.cotangents:  # all paths are cut, whatever the numbers are
                onward += [(r, np.ones(r.shape, bool)) for r in through]
                explained |= mask & leads
                continue
            passing = self._passing(step, k)
            flat = mask & ~passing
            if flat.any():
                found.append((Cause(kind_of_flat(step, k, flat), step.place, step, k, flat), flat))
            left = mask & passing
            if not left.any():
                continue
            back, possible = self._coming_back(step, k)
            here = left & (back != 0)
            if here.any():
                live |= here
                terms.append(step.place)
            lost = left & possible & ~here
            if lost.any():
                alone = is_elementwise(step.operation) and all(np.shape(o) == x.shape for o in step.out)
                kind = UNDERFLOW if alone else CANCELLED  # where nothing is added up
                found.append((Cause(kind, step.place, step, k, lost), lost))
            onward += self._fed(step, k, left & ~possible)
            explained |= left & leads
        if live.any():
            cause = Cause(CANCELLED, terms[-1], None, 0, live)
            cause.others = tuple(dict.fromkeys(p for p in terms if p != terms[-1]))
            found.append((cause, live))
        causes = _most_telling(found, explained)
        if whole:
            self._of_whole[x] = [_copy(c) for c in causes], onward
        return causes, onward

    def _passing(self, step: Step, k: int) -> Any:
        """The elements of an operand by which some result has a derivative that is not zero here."""
        found = step.pull([self._draw(o) for o in step.out])[k] != 0
        if not found.all():  # the draw might have hit upon a cancellation
            found = found | (step.pull([self._draw(o) for o in step.out])[k] != 0)
        return found

    def _coming_back(self, step: Step, k: int) -> tuple[Any, Any]:
        """The cotangent that comes back from one use, and where one could, seeing which results have one."""
        arrived = [self.cotangents.get(r) if r.linked else None for r in step.results]
        shape = step.operand(k).shape
        if not any(np.any(g) for g in arrived if g is not None):
            return np.zeros(shape), np.zeros(shape, bool)
        masked = [None if g is None else self._draw(o) * (g != 0) for g, o in zip(arrived, step.out, strict=True)]
        return step.pull(arrived)[k], step.pull(masked)[k] != 0

    def _fed(self, step: Step, k: int, mask: Any) -> list[tuple[Value, Any]]:
        """The elements of the results that those of an operand contribute to, and at which no cotangent arrives."""
        if not mask.any():
            return []
        alike = is_elementwise(step.operation) and all(np.shape(o) == mask.shape for o in step.out)
        if alike and mask.all():  # a diagonal Jacobian, without zeros there
            contributed: Sequence[Any] = [mask] * len(step.out)
        else:
            contributed = self._pushed(step, k, mask)
        found = []
        for result, there in zip(step.results, contributed, strict=True):
            if not result.linked or result not in self.reached:
                continue
            g = self.cotangents.get(result)
            there = there if g is None else there & (g == 0)
            if there.any():
                found.append((result, there))
        return found

    def _pushed(self, step: Step, k: int, mask: Any) -> Sequence[Any]:
        primitive = step.operation
        if not hasattr(primitive, "plans"):  # a rule of the user's gives no more than cotangents
            return [np.ones(np.shape(o), bool) for o in step.out]
        plan = primitive.plans[tuple([i == k for i in range(len(step.values))])]
        tangent = self._draw(step.values[k]) * mask
        tangents = tuple([tangent if i == k else None for i in range(len(step.values))])
        out = step.out if primitive.multiple else step.out[0]
        pushed = plan.push(out, step.params, tangents, *step.values)
        return [
            np.zeros(np.shape(o), bool) if t is None else np.broadcast_to(np.asarray(t) != 0, np.shape(o))
            for o, t in zip(step.out, pushed if primitive.multiple else (pushed,), strict=True)
        ]

    def _draw(self, x: Any) -> Any:
        """Random numbers like x, none of them zero; None for integers."""
        if not is_inexact(x.dtype):
            return None
        drawn = self._random.uniform(1.0, 2.0, np.shape(x))
        if x.dtype.kind == "c":
            drawn = drawn + 1j * self._random.uniform(1.0, 2.0, np.shape(x))
        return np.asarray(drawn, x.dtype)


def _most_telling(found: list[tuple[Cause, Any]], explained: Any) -> list[Cause]:
    """Causes, without those for elements that a more telling one explains.

    An element that one line takes the floor of, and another compares with 0, is lost in the first.
    """
    kept = []
    for level in (2, 1, 0):
        now = [(c, m) for c, m in found if rank(c) == level]
        for c, m in now:
            m = m if level == 2 else m & ~explained
            if m.any():
                c.elements = int(np.count_nonzero(m))
                kept.append((c, m))
        for _, m in now:
            explained = explained | m
    return [c for c, _ in found if any(c is other for other, _ in kept)]


def _worth_telling(found: list[Cause]) -> list[Cause]:
    """The causes, the most comprehensive first, without those that others make pointless.

    These are the decisions of our own functions, such as median's whether there is a nan, cuts on the way to decisions,
    and elements that are not used where a derivative is lost in another line.
    """
    told = [c for c in found if rank(c) or not (c.inside or c.vain)] or found
    if any(rank(c) == 2 for c in told):
        told = [c for c in told if rank(c) == 2 or c.whole]
    return sorted(told, key=lambda c: -c.elements / max(c.size, 1))


def _copy(c: Cause) -> Cause:
    twin = Cause.__new__(Cause)
    twin.__dict__.update(c.__dict__)
    return twin


def _leading(recording: Recording, ends: set[Value]) -> set[Value]:
    """The values that these depend on, and these themselves."""
    found = set(ends)
    for step in reversed(recording.steps):
        if not found.isdisjoint(step.results):
            found.update(x for x in step.operands if x is not None)
    return found


def _values_that_left(recording: Recording) -> set[Value]:
    every = [*recording.inputs, *[r for step in recording.steps for r in step.results]]
    return {v for v in every if v.left is not None}


def _able(recording: Recording, outputs: set[Value]) -> set[Value]:
    """The values from which a derivative could flow to a result, if one flowed to them."""
    found = set(outputs)
    for step in reversed(recording.steps):
        if not found.isdisjoint(step.results):
            found.update(x for k, x in enumerate(step.operands) if x is not None and has_rule(step, k))
    return found


def _departure(x: Value) -> tuple[Place, str, Place | None]:
    """Where and how the first of the values that depend on this one became a plain number, and where it was cut off."""
    pending = [x]
    cuts: dict[Value, Place | None] = {x: None}
    for v in pending:  # the list grows while it is read
        if v.left is not None:
            return *v.left, cuts[v]
        for user, r in [(step, r) for step, _ in v.uses for r in step.results]:
            if r not in cuts:
                cuts[r] = user.place if v.linked and not r.linked else cuts[v]
                pending.append(r)
    raise AssertionError("a value that informs a decision leads to one")


def _end(x: Value) -> Value:
    """The last of the values that were made of this one."""
    last = x
    while last.uses:
        step = last.uses[-1][0]
        if not step.results:
            break
        last = step.results[0]
    return last
