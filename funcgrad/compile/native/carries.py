"""What loops carry from step to step: in registers, or in memory, where two buffers change their roles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from funcgrad.compile.native.calls import INTERRUPTED, others_running
from funcgrad.compile.native.ir import SIZES, TYPES, Function, Value
from funcgrad.compile.native.numbers import KINDS, MOST, MOST_ARRAYS
from funcgrad.compile.native.places import Place, array
from funcgrad.compile.native.regions import Region
from funcgrad.compile.native.sweeps import copy, cut
from funcgrad.compile.numpy_backend.numbers import kind_of, numbers_in
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import contract

_STEPS = 10  # a power of two, of steps of a loop after which others get their turn
_ELEMENTS = 1 << 20  # that are computed meanwhile, which takes about a millisecond


class Steps(Protocol):
    """The plan of a tape.

    Attributes:
        work: the memory that it needs.
        stays: the numbers of the results that stay in the places of inputs.
    """

    work: Region
    stays: set[int]

    def write(self, f: Function) -> None:
        """Write all steps."""


class Planner(Protocol):
    """Makes a plan of a tape."""

    def __call__(
        self, tape: Tape, inputs: Sequence[Place], outputs: Sequence[Place], own: Sequence[Place] = ()
    ) -> Steps:
        """From where its inputs and its results lie, and the inputs that may be written over."""


class Carry:
    """Arrays that a loop carries in memory.

    Arguments:
        arrays: the inputs of the step that they are.

    Attributes:
        now, later: where the step reads them, and where it writes the next ones.
        stays: the numbers of those that a step only changes where they are; to be filled before it is written.
        last: where they are after the loop.
        own: the memory that they need.
    """

    def __init__(self, arrays: Sequence[Equation]) -> None:
        sizes = [math.prod(c.shape) * SIZES[TYPES[c.dtype]] for c in arrays]
        self._buffers = [
            [array(Region(size), c.shape, c.dtype) for _ in range(2)] for c, size in zip(arrays, sizes, strict=True)
        ]
        self.now, self.later = [[array(Region(), c.shape, c.dtype) for c in arrays] for _ in range(2)]
        both = [(a.region, b.region) for a, b in self._buffers]
        self.last = [array(Region(behind=pair), c.shape, c.dtype) for pair, c in zip(both, arrays, strict=True)]
        self.own = [region for pair in both for region in pair]
        self.stays: set[int] = set()

    def begin(self, f: Function, init: Sequence[Place]) -> list[Value]:
        """Copy the first arrays; the pointers to all buffers, which go from step to step."""
        for (first, _), x in zip(self._buffers, init, strict=True):
            copy(f, first, x)
        return [p.pointer(f) for pair in self._buffers for p in pair]

    def enter(self, pointers: Sequence[Value]) -> list[Value]:
        """Have a step read and write the buffers; the pointers for the next step."""
        for k, (now, later) in enumerate(zip(self.now, self.later, strict=True)):
            now.region.base, later.region.base = pointers[2 * k : 2 * k + 2]
        pairs = [pointers[k : k + 2] for k in range(0, len(pointers), 2)]
        return [p for k, pair in enumerate(pairs) for p in (pair if k in self.stays else pair[::-1])]

    def end(self, pointers: Sequence[Value]) -> None:
        """Say where the arrays are after the last step."""
        for k, place in enumerate(self.last):
            place.region.base = pointers[2 * k]


class RegisterCarry:
    """Arrays that a loop carries in registers, one for each element.

    Arguments:
        arrays: the inputs of the step that they are.

    Attributes:
        last: where they are after the loop.
        own: the memory that they need.
    """

    def __init__(self, arrays: Sequence[Equation]) -> None:
        regions = [Region(math.prod(c.shape) * SIZES[TYPES[c.dtype]]) for c in arrays]
        self.last = [array(r, c.shape, c.dtype) for r, c in zip(regions, arrays, strict=True)]
        self.own = regions
        self._sizes = [math.prod(c.shape) for c in arrays]

    def begin(self, f: Function, init: Sequence[Place]) -> list[Value]:
        """The elements of the first arrays."""
        return [x for p in init for x in loaded(f, p, p.pointer(f))]

    def arrays(self, elements: Sequence[Value]) -> list[list[Value]]:
        """The elements of each array."""
        return cut(elements, self._sizes)

    def end(self, f: Function, elements: Sequence[Value]) -> None:
        """Write the elements that there are after the last step."""
        for p, xs in zip(self.last, self.arrays(elements), strict=True):
            put(f, p, p.pointer(f), xs)


def fits_registers(tape: Tape) -> bool:
    """Whether a tape is a program of numbers that is not too long."""
    numbers = numbers_in(tape)
    return (
        numbers is not None
        and numbers <= MOST
        and len(tape.inputs) + len(tape.outputs) <= MOST_ARRAYS
        and all(kind_of(o) in KINDS for o in tape.outputs)
    )


def _places(p: Place) -> list[int]:
    """How many elements behind the first one each of an array lies."""
    return [sum([i * s for i, s in zip(at, p.strides, strict=True)]) for at in np.ndindex(p.shape)]


def loaded(f: Function, p: Place, start: Value) -> list[Value]:
    """The elements of an array in registers."""
    return [f.load(f.address(start, f.constant(n, "i64", 1), p.kind), p.kind, 1) for n in _places(p)]


def put(f: Function, p: Place, start: Value, xs: Sequence[Value]) -> None:
    """Write the elements of an array."""
    for n, x in zip(_places(p), xs, strict=True):
        f.store(x, f.address(start, f.constant(n, "i64", 1), x.kind))


def pause(f: Function, i: Value, step: Tape) -> None:
    """Every so many steps of a loop: let other threads run, and see to interrupts, which end the function."""
    often = 1 << max(0, min(_STEPS, (_ELEMENTS // max(1, _work(step))).bit_length() - 1))
    name, most = f"pause{f.fresh()}", f.constant(often - 1, "i64", 1)
    due = f.compare("eq", f.binary("and", i, most), most)
    f.line(f"br {due}, label %{name}, label %{name}.over")
    f.label(name)
    with others_running(f):
        pass
    calm = f.compare("eq", f.call("PyErr_CheckSignals", "i32", 1), f.constant(0, "i32", 1))
    f.line(f"br {calm}, label %{name}.over, label %{name}.stop")
    f.label(f"{name}.stop")
    f.line(f"ret i32 {INTERRUPTED}")
    f.label(f"{name}.over")


def _work(step: Tape) -> int:
    """About how many elements a step computes; a loop in it pauses by itself."""
    found = 0
    for e in step.equations:
        if e.primitive is contract.matmul:
            found += math.prod(e.shape) * shape_of(e.inputs[0])[-1] // 8
        elif not isinstance(e.dtype, tuple):
            found += math.prod(e.shape)
    return found
