"""Plans: how a tape of arrays becomes a list of steps on places in memory.

A step is a sweep over elements, a product, a copy or a loop. What is elementwise waits until somebody needs it in
memory; then all that waits and has the same shape is one sweep, and what only that sweep reads stays in registers.
Reductions of what the sweep computes are done on the way. Views are places in the memory of others. Memory is given to
others when the last step that reads it is over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.bodies import is_plain
from funcgrad.compile.native import products
from funcgrad.compile.native.accumulators import ordered
from funcgrad.compile.native.carries import fits_registers
from funcgrad.compile.native.choices import Choice
from funcgrad.compile.native.composites import expanded
from funcgrad.compile.native.elementwise import takes
from funcgrad.compile.native.formulas import written_out
from funcgrad.compile.native.indices import CHANGES
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Unwritable
from funcgrad.compile.native.loops import ArrayWhile, RegisterWhile
from funcgrad.compile.native.operations import LAPACK, operation
from funcgrad.compile.native.places import Make, Place, array, is_view
from funcgrad.compile.native.regions import Region, share
from funcgrad.compile.native.scans import ArrayScan, RegisterScan
from funcgrad.compile.native.sweeps import compute, copy, in_memory
from funcgrad.compile.numpy_backend.groups import SUMS, elementwise
from funcgrad.compile.numpy_backend.numbers import keeps_dtypes
from funcgrad.compile.rewrite import readers
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.branches import Branches
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While
from funcgrad.transforms.call import Call

MOST = 1 << 10  # equations, of which LLVM takes about a millisecond each
LARGEST = 1 << 16  # elements of what is computed element by element; more are for groups and their threads
_ALONE = (1 << 14) - 1  # the same of programs without products and calls, most of which groups carry out as well


class Constants:
    """The arrays that a program holds, in the order in which their places were asked for."""

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self.regions: list[Region] = []

    def place(self, x: Any, dtype: np.dtype) -> Place:
        """Where a constant lies, as an array of this dtype."""
        if dtype not in TYPES or "biufc".find(dtype_of(x).kind) > "biufc".index(dtype.kind):
            raise Unwritable
        x = np.ascontiguousarray(np.asarray(raw(x)).astype(dtype, copy=False)).reshape(shape_of(x))
        self.arrays.append(x)
        self.regions.append(Region())
        return array(self.regions[-1], x.shape, dtype)


class Step:
    """Something that is done at once.

    Arguments:
        places: what it reads and writes.
        write: writes it to a function.
    """

    def __init__(self, places: Sequence[Place], write: Callable[[Function], None]) -> None:
        self.regions = {p.region: None for p in places}
        self.write = write


class Plan:
    """The steps of a tape.

    Arguments:
        tape: the program.
        inputs: where its inputs lie.
        outputs: where its results go; they have no gaps.
        constants: gets the arrays that it holds.
        own: inputs that may be written over; a result may stay in the place of the one with its number.

    Attributes:
        stays: the numbers of the results that do.
        steps: in order.
        work: the bytes in which all lies that is neither input nor result.

    Raises:
        Unwritable: it holds an equation that cannot be written.
    """

    def __init__(
        self,
        tape: Tape,
        inputs: Sequence[Place],
        outputs: Sequence[Place],
        constants: Constants,
        own: Sequence[Place] = (),
    ) -> None:
        now = expanded(tape.equations)
        steps = [e for e in now.values() if e.picks is None and not is_view(e)]
        mixed = any(isinstance(e.primitive, Call) or products.takes(e) or e.primitive in LAPACK for e in steps)
        small = len([e for e in steps if not isinstance(e.dtype, tuple) and math.prod(e.shape) <= _ALONE])
        self._largest = LARGEST if mixed or 2 * small > len(steps) else _ALONE
        if len(steps) > MOST:
            raise Unwritable
        results = [now.get(o, o) if type(o) is Equation else o for o in tape.outputs]
        self._constants, self.steps = constants, list[Step]()
        self.work = Region()
        self._places: dict[Any, Place] = dict(zip(tape.inputs, inputs, strict=True))
        self._own: list[Region] = []
        self._writable = {p.region for p in own}
        self._done: set[Equation] = set()
        self.stays: set[int] = set()
        self._waiting: dict[Equation, None] = {}
        self._readers = readers(now.values())
        self._results = set()
        self._targets: dict[Equation, Place] = {}
        for o, place in zip(results, outputs, strict=True):
            if type(o) is Equation:
                self._results.add(o)
                if o.primitive is not None and not is_view(o) and o.dtype == place.dtype:
                    self._targets.setdefault(o, place)
        for e in now.values():
            self._take(e)
            self._done.add(e)
        for k, (o, place) in enumerate(zip(results, outputs, strict=True)):
            found = self._ready(o, place.dtype)
            if k < len(own) and found == own[k]:
                self.stays.add(k)
            elif found is not place:
                self._copy(place, found)
        share(self.work, self._own, [step.regions for step in self.steps])

    def write(self, f: Function) -> None:
        """Write all steps."""
        for step in self.steps:
            step.write(f)

    # Equations.

    def _take(self, e: Equation) -> None:
        """See to it that an equation is done, now or later."""
        p = e.primitive
        if e.picks is not None:  # its operation has seen to it
            return
        if isinstance(p, Call):
            self._call(e)
            return
        kinds = zip(e.shape, e.dtype, strict=True) if isinstance(e.dtype, tuple) else [(e.shape, e.dtype)]
        if not all(dtype in TYPES for _, dtype in kinds) or not all(math.prod(s) for s in _shapes(e)):
            raise Unwritable
        if is_view(e):
            return
        make = operation(e)
        if make is not None:
            self._whole(e, make)
            return
        if p in SUMS and not e.params.get("dtype") and type(e.inputs[0]) is Equation and e.inputs[0].dtype in TYPES:
            if not ordered(e) or (p is SUMS[0] and e.dtype.kind == "b"):
                raise Unwritable
            self._wait(e, e.inputs[0].shape)
        elif elementwise(e) and takes(e):
            self._wait(e, e.shape)
        elif products.takes(e):
            x, y = [self._passable(self._ready(i, e.dtype)) for i in e.inputs]
            to = self._place(e)
            self._step((x, y, to), lambda f: products.product(f, x, y, to))
        else:
            raise Unwritable

    def _whole(self, e: Equation, make: Make) -> None:
        """Carry out an operation that is a step by itself."""
        given = [None if i is None else self._ready(i) for i in e.inputs]
        if isinstance(e.dtype, tuple):
            to = [
                self._result(e, k, shape, dtype) for k, (shape, dtype) in enumerate(zip(e.shape, e.dtype, strict=True))
            ]
        else:
            to = [self._over(e) or self._place(e)]
        room = _Room(self._new, self._constants)
        write = make(e, given, to, room)
        self._step([*[p for p in given if p is not None], *to, *room.places], write)

    def _wait(self, e: Equation, space: tuple[int, ...]) -> None:
        """Have an equation wait; what it reads is in memory, or waits to be part of the same sweep."""
        if math.prod(space) > self._largest and (e.primitive not in SUMS or e.inputs[0] in self._waiting):
            raise Unwritable
        for i in e.inputs:
            if type(i) is Equation and not (i in self._waiting and i.shape == space and i.primitive not in SUMS):
                self._ready(i)
        self._waiting[e] = None

    def _sweep(self, wanted: Equation) -> None:
        """Carry out what waits for a sweep over the space of an equation that waits."""
        space = _space(wanted)
        chosen = [e for e in self._waiting if _space(e) == space]
        for e in chosen:
            del self._waiting[e]
        members = [e for e in chosen if e.primitive not in SUMS]
        reductions = [e for e in chosen if e.primitive in SUMS]
        inside = {*chosen}
        stored = {
            e: self._place(e) for e in chosen if e in self._results or not inside.issuperset(self._readers.get(e, ()))
        }
        stored |= {e: self._place(e) for e in reductions if e not in stored}
        read: dict[int, Place] = {}
        for i in [i for e in chosen for i in e.inputs]:
            if in_memory(i) and not (type(i) is Equation and i in inside):
                read[id(i)] = self._ready(i)
        places = [*read.values(), *stored.values()]
        self._step(places, lambda f: compute(f, space, members, reductions, lambda x: read[id(x)], stored))

    def _call(self, e: Equation) -> None:
        """Carry out a call: another tape, a loop or a choice."""
        body = e.primitive.body
        if not is_plain(body) or type(e.primitive).evaluate not in (Call.evaluate, ControlFlow.evaluate):
            raise Unwritable
        for x in (*zip(e.shape, e.dtype, strict=True), *[(shape_of(i), _dtype(i)) for i in e.inputs]):
            if x[1] not in TYPES or not math.prod(x[0]):
                raise Unwritable
        if type(body) is Scan:
            self._scan(e, body)
        elif type(body) is While:
            self._while(e, body)
        else:
            results = enumerate(zip(e.shape, e.dtype, strict=True))
            if type(body) is Branches:
                given = [self._ready(i) for i in e.inputs[:1]] + self._given(e.inputs[1:], body.branches[0].tape)
                to = [self._result(e, k, *kind) for k, kind in results]
                choice = Choice(body, given, to, self._inner)
                self._control([*given, *to], choice.own, choice.write)
            else:
                given = self._given(e.inputs, body.tape)
                to = [self._result(e, k, *kind) for k, kind in results]
                plan = self._inner(body.tape, given, to)
                self._control([*given, *to], [plan.work], plan.write)

    def _scan(self, e: Equation, scan: Scan) -> None:
        """Carry out a loop over rows."""
        tape = scan.step.tape
        if not scan.length or not keeps_dtypes(tape, scan.constants, scan.carry):
            raise Unwritable
        given = self._given(e.inputs, tape)
        loop: Any = RegisterScan(scan, given) if fits_registers(tape) else ArrayScan(scan, given, self._inner)
        self._carried(e, loop.last)
        for k, y in enumerate(tape.outputs[scan.carry :], start=scan.carry):
            loop.rows.append(self._result(e, k, (scan.length, *shape_of(y)), _dtype(y)))
        self._control([*given, *loop.last, *loop.rows], loop.own, loop.write)

    def _while(self, e: Equation, body: While) -> None:
        """Carry out a loop that goes on as long as a function says so."""
        step, decide = body.step.tape, body.decide.tape
        if not keeps_dtypes(step, body.constants, len(step.outputs)):
            raise Unwritable
        given = self._given(e.inputs, step)
        small = fits_registers(step) and fits_registers(decide)
        loop: Any = RegisterWhile(body, given) if small else ArrayWhile(body, given, self._inner)
        self._carried(e, loop.last)
        self._control([*given, *loop.last], loop.own, loop.write)

    def _given(self, operands: Sequence[Any], tape: Tape) -> list[Place]:
        """Where the operands of a tape lie."""
        pairs = list(zip(operands, tape.inputs, strict=True))
        if any(type(i) is Equation and i.dtype != x.dtype for i, x in pairs):  # a Python number of another kind
            raise Unwritable
        return [self._ready(i, x.dtype) for i, x in pairs]

    def _carried(self, e: Equation, last: Sequence[Place]) -> None:
        """Where the first results of a loop lie."""
        for k, found in enumerate(last):
            self._places.update(dict.fromkeys(self._picks(e, k), found))

    def _control(self, places: Sequence[Place], own: Sequence[Region], write: Callable[[Function], None]) -> None:
        """A step that needs memory for plans of its own."""
        self._own += own
        self._step([*places, *[array(r, (), np.bool_) for r in own]], write)

    def _inner(self, tape: Tape, inputs: Sequence[Place], outputs: Sequence[Place], own: Sequence[Place] = ()) -> Plan:
        """The plan of a tape that this one holds."""
        if tape.effects:
            raise Unwritable
        return Plan(written_out(tape), inputs, outputs, self._constants, own)

    # Places.

    def _ready(self, x: Any, dtype: Any = None) -> Place:
        """Where an operand lies, once it has been computed."""
        chain: list[Equation] = []
        key = _key(x, dtype)
        while key not in self._places:
            if type(x) is not Equation:
                self._places[key] = self._constants.place(x, key[1])
            elif x in self._waiting:
                self._sweep(x)
            elif is_view(x):
                chain.append(x)
                x = x.inputs[0]
                key = _key(x, None)
            else:
                raise Unwritable
        found = self._places[key]
        for e in reversed(chain):
            view = found.viewed(e)
            if view is None:
                view = self._copied(found).viewed(e)
            if view is None:
                raise Unwritable
            self._places[e] = found = view
        return found

    def _place(self, e: Equation) -> Place:
        """A place for a result: memory of the plan, or where it goes in the end."""
        self._places[e] = self._targets[e] if e in self._targets else self._new(e.shape, e.dtype)
        return self._places[e]

    def _over(self, e: Equation) -> Place | None:
        """The place of an array of which an equation changes a part, if nobody reads later what is there now."""
        x = e.inputs[0]
        if e.primitive not in CHANGES or type(x) is not Equation or x.picks is not None or is_view(x):
            return None
        place, same = self._places[x], [x]
        for y in same:
            same += [r for r in self._readers.get(y, ()) if is_view(r)]
        others = [r for y in same for r in self._readers.get(y, ()) if r is not e and not is_view(r)]
        if place.region not in self._writable and place.region not in self._own:
            return None
        read = {i for i in e.inputs[1:] if type(i) is Equation}
        if any(y in self._results or y in read for y in same) or not self._done.issuperset(others):
            return None
        for r in others:
            if r in self._waiting:
                self._sweep(r)
        self._places[e] = place
        return place

    def _picks(self, e: Equation, k: int) -> list[Equation]:
        """What stands for the k-th result of an equation."""
        return [r for r in self._readers.get(e, ()) if r.picks == k]

    def _result(self, e: Equation, k: int, shape: Sequence[int], dtype: Any) -> Place:
        """A place for the k-th result of an equation."""
        picks = self._picks(e, k)
        place = self._place(picks[0]) if picks else self._new(shape, dtype)
        self._places.update(dict.fromkeys(picks, place))
        return place

    def _new(self, shape: Sequence[int], dtype: Any) -> Place:
        self._own.append(Region(math.prod(shape) * SIZES[TYPES[np.dtype(dtype)]]))
        return array(self._own[-1], shape, dtype)

    def _passable(self, p: Place) -> Place:
        return p if products.passable(p) else self._copied(p)

    def _copied(self, p: Place) -> Place:
        to = self._new(p.shape, p.dtype)
        self._copy(to, p)
        return to

    def _copy(self, to: Place, of: Place) -> None:
        self._step((to, of), lambda f: copy(f, to, of))

    def _step(self, places: Sequence[Place], write: Callable[[Function], None]) -> None:
        self.steps.append(Step(places, write))


class _Room:
    """Room in the memory of a plan.

    Arguments:
        new: gives memory.
        constants: gets arrays that are known.

    Attributes:
        places: what has been asked for.
    """

    def __init__(self, new: Callable[[Sequence[int], Any], Place], constants: Constants) -> None:
        self._new, self._constants = new, constants
        self.places: list[Place] = []

    def __call__(self, shape: Sequence[int], dtype: Any) -> Place:
        self.places.append(self._new(shape, dtype))
        return self.places[-1]

    def holding(self, x: np.ndarray) -> Place:
        self.places.append(self._constants.place(x, x.dtype))
        return self.places[-1]


def _shapes(e: Equation) -> list[tuple[int, ...]]:
    """The shapes of the operands and of the results of an equation."""
    return [*[shape_of(i) for i in e.inputs if i is not None], *(e.shape if isinstance(e.dtype, tuple) else [e.shape])]


def _space(e: Equation) -> tuple[int, ...]:
    """The index space of what waits."""
    return tuple(e.inputs[0].shape if e.primitive in SUMS else e.shape)


def _key(x: Any, dtype: Any) -> Any:
    """By what the place of an operand is known."""
    return x if type(x) is Equation else (id(x), np.dtype(dtype_of(x) if dtype is None else dtype))


def _dtype(x: Any) -> np.dtype:
    return np.dtype(dtype_of(x))
