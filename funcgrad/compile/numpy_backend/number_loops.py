"""Loops of numbers: where a step is a program of numbers, the carry stays Python numbers from step to step.

An array is made of them once, after the last step. As with other programs of numbers, whatever Python's numbers cannot
do is left to the loop on arrays, which begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from funcgrad.compile.numpy_backend.by_element import BOOL, FLOAT
from funcgrad.compile.numpy_backend.lowering import Names
from funcgrad.compile.numpy_backend.numbers import (
    WORTH,
    Scalars,
    elements,
    finite,
    function_text,
    indented,
    keeps_dtypes,
    kind_of,
    near,
    numbers_in,
    put_together,
    taken_apart,
)
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.lax.scan_body import Scan
from funcgrad.lax.while_body import While

MOST_ROWS = 1 << 20  # numbers that are joined in a list


def scan_suits(scan: Scan) -> bool:
    """Whether a scan gains by being a loop of numbers."""
    tape = scan.step.tape
    if not _worth(tape) or not all(math.prod(e.shape) for e in tape.inputs) or not scan.length:
        return False
    ys = tape.outputs[scan.carry :]
    sizes = [math.prod(shape_of(y)) for y in ys]
    if not all(sizes) or scan.length * sum(sizes) > MOST_ROWS:
        return False
    return all(dtype_of(y) in (FLOAT, BOOL) for y in ys) and keeps_dtypes(tape, scan.constants, scan.carry)


def while_suits(loop: While) -> bool:
    """Whether a while loop gains by being a loop of numbers."""
    decide, step = loop.decide.tape, loop.step.tape
    if numbers_in(decide) is None or not _worth(step):
        return False
    return keeps_dtypes(step, loop.constants, len(step.outputs))


def _worth(tape: Tape) -> bool:
    numbers = numbers_in(tape)
    return numbers is not None and numbers <= WORTH * max(1, len(tape.equations))


def scan_text(scan: Scan, title: str, names: Names, with_numpy: str) -> str:
    """The source of a scan as a function of raw values.

    Arguments:
        scan, title: the loop, and the name of the function.
        names: for what is no local variable.
        with_numpy: the name of the function that does the same on arrays.
    """
    tape, n, m = scan.step.tape, scan.constants, scan.constants + scan.carry
    parameters = [f"v{k}" for k in range(len(tape.inputs))]
    inputs = [elements(v, e.shape) for v, e in zip(parameters, tape.inputs, strict=True)]
    head = _head(parameters[:m], tape.inputs[:m], inputs[:m], names)
    lines, outputs = Scalars(names).lines(tape, inputs)
    carry, ys = outputs[: scan.carry], outputs[scan.carry :]
    rows = [t for y in ys for t in y.reshape(-1).tolist()]
    if rows:
        head += ["rows = []", "join = rows.extend"]
        lines.append(f"join(({''.join([t + ', ' for t in rows])}))")
    lines += _next(inputs[n:m], carry, tape.inputs[n:m])
    loop = _each_row(parameters[m:], tape.inputs[m:], inputs[m:], scan)
    tail, results, questions = [], [], []
    dtypes = [e.dtype for e in tape.inputs[n:m]]
    if scan.carry:
        questions.append(finite(inputs[n:m], dtypes, names))
        results += [put_together(x, d, names) for x, d in zip(inputs[n:m], dtypes, strict=True)]
    if rows:
        backwards = "[::-1]" if scan.reverse else ""
        array, float64 = names.of(np.array, "array"), names.of(FLOAT, FLOAT.name)
        tail.append(f"rows = {array}(rows, {float64}).reshape({scan.length}, {len(rows)}){backwards}")
        questions.append(f"{names.of(math.isfinite, 'isfinite')}({names.of(np.add.reduce, 'add_reduce')}(rows, None))")
        at = 0
        for y, o in zip(ys, tape.outputs[scan.carry :], strict=True):
            part = f"rows[:, {at}:{at + y.size}].reshape({(scan.length, *y.shape)!r})"
            results.append(part if kind_of(o) == FLOAT else f"{part}.astype({names.of(BOOL, 'bool')})")
            at += y.size
    body = [*head, loop, *indented(lines or ["pass"]), *tail, f"if {' and '.join(questions)}:"]
    return function_text(title, parameters, body, f"return ({''.join([r + ', ' for r in results])})", with_numpy)


def while_text(loop: While, title: str, names: Names, with_numpy: str) -> str:
    """The source of a while loop as a function of raw values; arguments as for `scan_text`."""
    decide, step, n = loop.decide.tape, loop.step.tape, loop.constants
    parameters = [f"v{k}" for k in range(len(step.inputs))]
    inputs = [elements(v, e.shape) for v, e in zip(parameters, step.inputs, strict=True)]
    scalars = Scalars(names)
    before, (goes_on,) = scalars.lines(decide, inputs)
    lines, outputs = scalars.lines(step, inputs)
    carry = step.inputs[n:]
    dtypes = [e.dtype for e in carry]
    results = "".join([put_together(x, d, names) + ", " for x, d in zip(inputs[n:], dtypes, strict=True)])
    body = [
        *_head(parameters, step.inputs, inputs, names),
        "while True:",
        *indented([*before, f"if not {goes_on[()]}:", "    break", *lines, *_next(inputs[n:], outputs, carry)]),
        f"if {finite(inputs[n:], dtypes, names)}:",
    ]
    return function_text(title, parameters, body, f"return ({results})", with_numpy)


def _head(
    parameters: Sequence[str], given: Sequence[Equation], inputs: Sequence[np.ndarray], names: Names
) -> list[str]:
    """The lines that take constants and the first carry apart."""
    found = []
    for v, e, texts in zip(parameters, given, inputs, strict=True):
        found += [*taken_apart(v, e, names), *near(e, texts)]
    return found


def _next(now: Sequence[np.ndarray], later: Sequence[np.ndarray], carry: Sequence[Equation]) -> list[str]:
    """The lines that go on to the next carry."""
    pairs = [
        (a, b)
        for old, new in zip(now, later, strict=True)
        for a, b in zip(old.reshape(-1).tolist(), new.reshape(-1).tolist(), strict=True)
        if a != b
    ]
    lines = [f"{', '.join([a for a, _ in pairs])} = {', '.join([b for _, b in pairs])}"] if pairs else []
    return [*lines, *[line for e, x in zip(carry, now, strict=True) for line in near(e, x)]]


def _each_row(parameters: Sequence[str], xs: Sequence[Equation], inputs: Sequence[np.ndarray], scan: Scan) -> str:
    """The head of the loop over the rows of the arrays."""
    targets, rows = [], []
    for v, e, texts in zip(parameters, xs, inputs, strict=True):
        flat = texts.reshape(-1).tolist()
        targets.append(f"({', '.join(flat)},)" if e.shape else flat[0])
        lists = f"{v}.tolist()" if len(e.shape) < 2 else f"{v}.reshape({scan.length}, {texts.size}).tolist()"
        rows.append(f"reversed({lists})" if scan.reverse else lists)
    if not rows:
        return f"for _ in range({scan.length}):"
    source = rows[0] if len(rows) == 1 else f"zip({', '.join(rows)})"
    return f"for {', '.join(targets)} in {source}:"
