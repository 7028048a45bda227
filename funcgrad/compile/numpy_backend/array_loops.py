"""Loops on arrays: the lines of a step stand in the loop, and what is kept is computed where it is kept.

To copy 4 × 4 doubles into a row of an array takes as long as to multiply two such matrices, 0.3 µs; to multiply into
the row takes no longer than to multiply. If what a step is given as its carry is kept, the step computes the next carry
into the next row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.numpy_backend.groups import LARGE
from funcgrad.compile.numpy_backend.liveness import can_write
from funcgrad.compile.numpy_backend.lowering import Names
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.scan_body import Scan


class Step(NamedTuple):
    """The lines of a step, and how its inputs and results are written."""

    inputs: Sequence[str]
    lines: Sequence[str]
    results: Sequence[str]


class _Rows(NamedTuple):
    """An array of what the steps of a loop give.

    Attributes:
        name: of the array.
        result: which result of the step it holds.
        computed: which one is computed into a row of it; None for none.
        ahead: the name of the carry of which it holds the first value as well, and so one more row; empty for none.
    """

    name: str
    result: int
    computed: int | None = None
    ahead: str = ""

    @property
    def row(self) -> str:
        return f"row_{self.name}"

    def all_but(self, last: bool) -> str:
        """Its rows, without the last or the first if it has one more than there are steps."""
        return f"{self.name}[{':-1' if last else '1:'}]" if self.ahead else self.name


def scan_lines(
    scan: Scan, own: Collection[Equation], names: Names, written: Callable[[dict[Equation, str]], Step]
) -> tuple[Sequence[str], list[str]]:
    """The parameters and the lines of a loop over rows.

    Arguments:
        scan: the loop.
        own: the carry that the steps may write over.
        names: for what is no local variable.
        written: writes the step down, given the names of the places into which it may compute results.
    """
    tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
    outputs, backwards = tape.outputs, scan.reverse
    kept = _kept(scan, own)
    step = written({outputs[rows.computed]: rows.row for rows in kept if rows.computed is not None})
    v, results = step.inputs, step.results
    lines = [line for rows in kept for line in _made(rows, scan, names)]
    lines += [
        f"{x} = {names.of(np.array, 'array')}({x}, order='C')" for x, i in zip(v, tape.inputs, strict=True) if i in own
    ]
    through, stored = [(rows.row, rows.all_but(last=backwards)) for rows in kept if rows.computed is not None], []
    for rows in kept:
        if rows.computed is None:
            stored.append(f"{rows.name}[i] = {results[rows.result]}")
        elif results[rows.computed] != rows.row:
            stored.append(f"{rows.row}[...] = {results[rows.computed]}")
    through = [(x, f"reversed({xs})" if backwards else xs) for x, xs in (*through, *[(x, x) for x in v[m:]])]
    if not through or any(rows.computed is None for rows in kept):
        through.insert(0, ("i", f"range({f'{scan.length - 1}, -1, -1' if backwards else scan.length})"))
    source = through[0][1] if len(through) == 1 else f"zip({', '.join([xs for _, xs in through])})"
    moved = [(x, o) for x, o in zip(v[n:m], results, strict=False) if x != o]
    following = [f"{', '.join([x for x, _ in moved])} = {', '.join([o for _, o in moved])}"] if moved else []
    freed = [x for x, o in zip(results, outputs, strict=True) if _is_large(o) and x not in v]
    following += [f"del {', '.join(dict.fromkeys(freed))}"] if freed else []
    lines.append(f"for {', '.join([x for x, _ in through])} in {source}:")
    lines += [f"    {line}" for line in [*step.lines, *stored, *following] or ["pass"]]
    places = {rows.row for rows in kept}
    lines += [f"{x} = {x}.copy()" for x, o in moved if o in places]  # the row would hold all others
    last = [*v[n:m], *[rows.all_but(last=not backwards) for rows in kept]]
    return v, [*lines, f"return ({''.join([x + ', ' for x in last])})"]


def _is_large(x: Any) -> bool:
    return type(x) is Equation and x.plan is not None and math.prod(x.shape) >= LARGE


def _kept(scan: Scan, own: Collection[Equation]) -> list[_Rows]:
    """What the steps of a loop give, and what of it is computed in its place."""
    tape, n = scan.step.tape, scan.constants
    outputs, carry = tape.outputs, {i: k for k, i in enumerate(tape.inputs[n : n + scan.carry]) if i not in own}
    taken: set[Equation] = set()
    found = []
    for k, o in enumerate(outputs[scan.carry :], scan.carry):
        at = carry.get(o, k) if type(o) is Equation else k
        x, rows = outputs[at], _Rows(f"y{k}", k)
        fits = type(x) is Equation and (x.shape, x.dtype) == (shape_of(o), dtype_of(o))
        if fits and x not in taken and x.plan is not None and can_write(x):
            taken.add(x)
            rows = _Rows(f"y{k}", k, at, "" if at == k else f"v{n + at}")
        found.append(rows)
    return found


def _made(rows: _Rows, scan: Scan, names: Names) -> list[str]:
    """The lines that make an array of rows."""
    o = scan.step.tape.outputs[rows.result]
    shape, dtype = (scan.length + bool(rows.ahead), *shape_of(o)), names.of(dtype_of(o), dtype_of(o).name)
    lines = [f"{rows.name} = {names.of(np.empty, 'empty')}({shape!r}, {dtype})"]
    return [*lines, f"{rows.name}[{-1 if scan.reverse else 0}] = {rows.ahead}"] if rows.ahead else lines
