"""Programs of numbers in machine code: each element of each array is a register of its own.

The functions that NumPy and Python's `math` call for single numbers are called here as well, so the results are those
of the program that the NumPy backend writes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.arithmetic import ARITHMETIC, better
from funcgrad.compile.native.calls import Entry, builtin
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import TYPES, Function, Module, Value, readable
from funcgrad.compile.native.llvm import Library
from funcgrad.compile.numpy_backend.by_element import BOOL, FLOAT, INT, ByElement, objects
from funcgrad.compile.numpy_backend.numbers import kind_of, numbers_in, unrolled
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import shape_of
from funcgrad.ops import elementwise as ew
from funcgrad.ops import index, structural

MOST = 1 << 14  # operations on numbers, of which LLVM takes about 20 microseconds each
MOST_ARRAYS = 256  # arguments and results, for each of which there are a dozen lines
_CODES = {"double": "f", "i64": "i", "i1": "b"}  # how arithmetic.py calls what a register holds
_DTYPES = {"double": FLOAT, "i64": INT, "i1": BOOL}
KINDS = frozenset(_DTYPES.values())
_NAMES = {
    ew.arctan: "atan",
    ew.arcsin: "asin",
    ew.arccos: "acos",
    ew.arcsinh: "asinh",
    ew.arccosh: "acosh",
    ew.arctanh: "atanh",
    ew.arctan2: "atan2",
    ew.power: "pow",
}
_EXTREMA = {ew.maximum: better("oge"), ew.minimum: better("ole")}  # of two zeros the first, as in Python's form of it
_COMPARISONS = (ew.less, ew.less_equal, ew.greater, ew.greater_equal, ew.equal, ew.not_equal)


class Registers(ByElement):
    """Writes tapes as lines of a function, in which each element is a register."""

    def __init__(self, f: Function) -> None:
        self.f = f

    def constant(self, value: Any) -> Value:
        """A number that is known."""
        kinds = {float: "double", int: "i64", bool: "i1"}
        return self.f.constant(value, kinds[type(value)])

    def add(self, a: Value, b: Value) -> Value:
        """The sum of two doubles."""
        return self.f.binary("fadd", self.as_kind(a, "double"), self.as_kind(b, "double"))

    def multiply(self, a: Value, b: Value) -> Value:
        """The product of two doubles."""
        return self.f.binary("fmul", self.as_kind(a, "double"), self.as_kind(b, "double"))

    def as_kind(self, a: Value, kind: str) -> Value:
        """A number as another type."""
        return convert(self.f, a, _DTYPES[a.kind], _DTYPES[kind])

    def apply(self, e: Equation, *args: Value) -> Value:
        """An element of the result of an elementwise equation."""
        p, f, kind = e.primitive, self.f, TYPES[e.dtype]
        if p is structural.astype:
            return self.as_kind(args[0], kind)
        if p is index.where:
            return f.select(self.as_kind(args[0], "i1"), *[self.as_kind(a, kind) for a in args[1:]])
        if p in _COMPARISONS:
            kind = "i64" if all(a.kind == "i64" for a in args) else "double"
        args = tuple([self.as_kind(a, kind) for a in args])
        if p in _EXTREMA:
            return _EXTREMA[p](f, *args)
        if p.impl in ARITHMETIC:
            return ARITHMETIC[p.impl][_CODES[kind]](f, *args)
        return f.call(_NAMES.get(p, p.name), "double", 1, *args)

    def rows(self, tape: Tape, inputs: Sequence[Sequence[Value]]) -> list[list[Value]]:
        """The elements of each result of a tape in the dtype of the result, for those of its inputs."""
        given = [objects(list(x), i.shape) for x, i in zip(inputs, tape.inputs, strict=True)]
        outputs = zip(self.results(tape, given), tape.outputs, strict=True)
        return [[self.as_kind(x, TYPES[kind_of(o)]) for x in found.reshape(-1).tolist()] for found, o in outputs]

    def choice(self, e: Equation, args: list[np.ndarray]) -> list[np.ndarray]:
        """The results of a choice: a block for each branch, of which one is entered."""
        f, branches = self.f, e.primitive.body.branches
        number = self.as_kind(args[0].reshape(-1).tolist()[0], "i64")
        title = f"choice{f.fresh()}"
        cases = " ".join([f"i64 {k}, label %{title}.{k}" for k in range(len(branches) - 1)])
        f.line(f"switch {number}, label %{title}.{len(branches) - 1} [{cases}]")
        ends, found = [], []
        for k, branch in enumerate(branches):
            f.label(f"{title}.{k}")
            given = [a.reshape(-1).tolist() for a in args[1:]]
            found.append([x for row in self.rows(branch.tape, given) for x in row])
            ends.append(f.block)
            f.line(f"br label %{title}.end")
        f.label(f"{title}.end")
        joined = []
        for xs in zip(*found, strict=True):
            sources = ", ".join([f"[{x.text}, %{block}]" for x, block in zip(xs, ends, strict=True)])
            joined.append(f.let(f"phi {xs[0].type} {sources}", xs[0].kind))
        parts = iter(joined)
        return [objects([next(parts) for _ in range(math.prod(shape))], shape) for shape in e.shape]


class NumbersPart:
    """A program of numbers in machine code.

    Arguments:
        module: to which the function is added.
        tape, title: the program, and the name of the function.
        with_numpy: does the same on arrays, and warns where a result is not finite.
        watched: the numbers of the results that this is asked of.
    """

    def __init__(
        self, module: Module, tape: Tape, title: str, with_numpy: Callable[..., tuple], watched: Collection[int]
    ) -> None:
        kinds = [(shape_of(o), kind_of(o)) for o in tape.outputs]
        entry = Entry(module, title, [(i.shape, i.dtype) for i in tape.inputs], len(kinds))
        registers = Registers(entry.f)
        outputs = registers.rows(tape, [entry.elements(k, i.shape) for k, i in enumerate(tape.inputs)])
        entry.require_finite([x for k in watched for x in outputs[k]])
        entry.begin_results()
        for k, (o, kind) in enumerate(zip(outputs, kinds, strict=True)):
            entry.put(k, o, *kind)
        entry.finish()
        self.text = readable(module.functions[title])
        self._title, self._inputs, self._with_numpy = title, entry.inputs, with_numpy

    def function(self, library: Library) -> Callable[..., Any]:
        """The builtin function, which keeps the code alive."""
        return builtin(library, self._title, self._inputs, self._with_numpy)


def numbers_part(
    module: Module, tape: Tape, title: str, with_numpy: Callable[..., tuple], watched: Collection[int]
) -> NumbersPart | None:
    """A program of numbers as a function of the module; None if it is none, or too long.

    Arguments:
        module, tape, title, with_numpy, watched: as for `NumbersPart`.
    """
    numbers = numbers_in(tape) if tape.equations else None
    if numbers is None:
        numbers = unrolled(tape, MOST)
    if numbers is None or numbers > MOST or len(tape.inputs) + len(tape.outputs) > MOST_ARRAYS:
        return None
    if any(kind_of(o) not in KINDS for o in tape.outputs):  # a constant may have another dtype
        return None
    return NumbersPart(module, tape, title, with_numpy, watched)
