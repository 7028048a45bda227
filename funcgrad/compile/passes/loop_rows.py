"""What the steps of a scan do independently of each other, for all of them at once: before the loop and after it.

A product of a row with a matrix, or an elementwise operation on a row, needs no carry: on the whole array it is one
call instead of one for each step. And what the steps add up, as the gradient of a weight in a recurrent network is
added up from products AᵢᵀBᵢ, is one product of all their rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from funcgrad.compile.numpy_backend.groups import elementwise
from funcgrad.compile.passes.loop import Loop
from funcgrad.core.tape import Equation, equation, reachable
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract, reduce, structural
from funcgrad.ops import elementwise as ew

SHORT = 8  # steps from which it is worth it
SMALL = 1 << 16  # elements up to which the call in a step costs as much as what it computes
MOST = 1 << 22  # elements of all rows together


def _fits(loop: Loop, shape: tuple[int, ...]) -> bool:
    return math.prod(shape) <= SMALL and loop.length * math.prod(shape) <= MOST


def compute_rows_before(loop: Loop) -> None:
    """Compute before the loop what depends on rows and constants alone, where it can be had for all rows at once."""
    outside: dict[Equation, Any] = {i: x for i, x in loop.rows.items() if type(x) is Equation}
    fresh: dict[Equation, Equation] = {}
    for e in loop.step().equations:
        known = all(i in outside or i in loop.constants for i in e.inputs if type(i) is Equation)
        if known and _has_form(e, [type(i) is Equation and i in outside for i in e.inputs]) and _fits(loop, e.shape):
            outside[e] = _for_all_rows(e, outside, loop)
            fresh[e] = equation(0, None, (), {}, (), e.shape, e.dtype)
    for k, o in list(loop.outputs.items()):
        if k not in loop.carry and type(o) is Equation and o in fresh:
            loop.results[k] = outside[o]
            del loop.outputs[k]
    loop.rows = {**loop.rows, **{i: outside[e] for e, i in fresh.items()}}
    loop.change(lambda e, _: fresh.get(e))


def compute_rows_after(loop: Loop) -> None:
    """Compute after the loop what leads to no further step, where it can be had for all rows at once.

    What it reads of the steps is joined, and that must not be much more than what is joined now.
    """
    ends = [o for k, o in loop.outputs.items() if k in loop.carry and type(o) is Equation]
    stays = set(reachable([*ends, *loop.effects]))
    step = loop.step()
    for e in reversed(step.equations):
        by_row = [type(i) is Equation and i not in loop.constants for i in e.inputs]
        if e not in stays and not (_has_form(e, by_row) and _fits(loop, e.shape)):
            stays.update(reachable([e]))
    later = [e for e in step.equations if e not in stays]
    read = dict.fromkeys([i for e in later for i in e.inputs if type(i) is Equation and i not in loop.constants])
    border = [i for i in read if i in stays or i.plan is None]
    new = [i for i in border if i not in loop.rows and loop.joined(i) is None]
    saved = sum([math.prod(e.shape) for e in later if loop.joined(e) is not None])
    if not later or sum([math.prod(i.shape) for i in new]) > max(4 * saved, SHORT**2):
        return
    if not all(_fits(loop, i.shape) for i in new):
        return
    results = {k: o for k, o in loop.outputs.items() if type(o) is Equation and o in set(later)}
    for k in results:
        del loop.outputs[k]
    rows = {i: _rows(loop, i) for i in border}

    def finish() -> None:
        outside: dict[Equation, Any] = {i: found() for i, found in rows.items() if found is not None}
        for e in later:
            outside[e] = _for_all_rows(e, outside, loop)
        loop.results.update({k: outside[o] for k, o in results.items()})

    loop.after.append(finish)


def _has_form(e: Equation, by_row: list[bool]) -> bool:
    """Whether an equation of the step can be had for all rows; by_row says which operands differ between the steps."""
    if not any(by_row):
        return False
    if e.primitive is contract.matmul:
        x, y = map(shape_of, e.inputs)
        return (len(x), len(y), *by_row) in ((1, 2, True, False), (2, 2, True, False), (2, 1, False, True))
    return e.primitive is reduce.reduce_sum or elementwise(e)


def _for_all_rows(e: Equation, outside: dict[Equation, Any], loop: Loop) -> Equation:
    """An equation of the step for all rows.

    Arguments:
        e: an equation that has a form.
        outside: the rows of those operands that differ between the steps.
        loop: gives the others.
    """
    given = [outside.get(i, loop.constants.get(i)) if type(i) is Equation else i for i in e.inputs]
    params = e.params
    if e.primitive is reduce.reduce_sum:
        params = {**params, "axis": tuple([a + 1 for a in params["axis"]])}
    elif e.primitive is contract.matmul:
        if type(e.inputs[0]) is not Equation or e.inputs[0] not in outside:  # a matrix times vectors
            matrix, vectors = given
            shape = shape_of(matrix)[::-1]
            given = [vectors, loop.emit(structural.transpose, (matrix,), shape, dtype_of(matrix), axes=(1, 0))]
    else:
        given = [
            _spread(loop, x, i.shape, len(e.shape)) if type(i) is Equation and i in outside else x
            for x, i in zip(given, e.inputs, strict=True)
        ]
    return loop.emit(e.primitive, tuple(given), (loop.length, *e.shape), e.dtype, **params)


def _spread(loop: Loop, x: Any, shape: tuple[int, ...], ndim: int) -> Any:
    """Rows with so many axes that they meet those of another operand as in a step."""
    if len(shape) == ndim:
        return x
    wide = (loop.length, *[1] * (ndim - len(shape)), *shape)
    return loop.emit(structural.reshape, (x,), wide, x.dtype, shape=wide, order="C")


def independent(loop: Loop) -> None:
    """Move out of the loop what the steps do independently of each other."""
    if loop.length >= SHORT:
        compute_rows_before(loop)
        add_up_after(loop)
        compute_rows_after(loop)


def add_up_after(loop: Loop) -> None:
    """Add up after the loop what the steps add to a carry that they do not look at, if all rows can be met at once."""
    readers: dict[Equation, int] = {}
    for e in loop.step().equations:
        for i in e.inputs:
            if type(i) is Equation:
                readers[i] = readers.get(i, 0) + 1
    for k, (i, first) in list(loop.carry.items()):
        o = loop.outputs[k]
        if type(o) is not Equation or o.primitive is not ew.add or readers.get(i) != 1 or readers.get(o):
            continue
        if any(x is i for x in loop.outputs.values()):  # somebody looks at it all the same
            continue
        if i not in o.inputs or sum([x is o for x in loop.outputs.values()]) != 1 or o.dtype.char not in "fdFD":
            continue
        (term,) = [x for x in o.inputs if x is not i] or [None]
        total = _total(term, o, loop) if type(term) is Equation else None
        if total is not None:
            del loop.carry[k], loop.outputs[k]
            loop.after.append(_finish(loop, k, first, o, total))


def _finish(loop: Loop, k: int, first: Any, o: Equation, total: Callable[[], Equation]) -> Callable[[], None]:
    def finish() -> None:
        loop.results[k] = loop.emit(ew.add, (first, total()), o.shape, o.dtype)

    return finish


def _total(term: Equation, o: Equation, loop: Loop) -> Callable[[], Equation] | None:
    """What gives the sum of the terms of all steps after the loop; None if there is no better way than one by one."""
    if term.shape != o.shape or term.dtype != o.dtype:
        return None
    p = term.primitive
    found: Callable[[], Equation] | None = None
    if p is reduce.reduce_sum and not term.params.get("dtype") and not term.params.get("keepdims"):
        found = _sum(loop, term.inputs[0], (0, *[a + 1 for a in term.params["axis"]]), term)
    elif p is contract.outer_product and len(term.shape) == 2:
        found = _product(loop, term.inputs[0], term.inputs[1], term)
    elif p is contract.matmul and [len(shape_of(i)) for i in term.inputs] == [2, 2]:
        left, right = term.inputs
        if type(left) is Equation and left.primitive is structural.transpose:
            found = _product(loop, left.inputs[0], right, term)
    if found is None and loop.length * math.prod(term.shape) <= SMALL:
        found = _sum(loop, term, (0,), term)
    return found


def _sum(loop: Loop, x: Any, axis: tuple[int, ...], term: Equation) -> Callable[[], Equation] | None:
    """The sum of the rows of all steps."""
    xs = _rows(loop, x) if type(x) is Equation and x.dtype == term.dtype else None
    return xs and (lambda: loop.emit(reduce.reduce_sum, (xs(),), term.shape, term.dtype, axis=axis))


def _product(loop: Loop, x: Any, y: Any, term: Equation) -> Callable[[], Equation] | None:
    """xᵀy of the rows of all steps."""
    if not all(type(i) is Equation and i.dtype == term.dtype for i in (x, y)):
        return None
    xs, ys = _rows(loop, x), _rows(loop, y)
    if xs is None or ys is None:
        return None

    def tall(rows: Equation) -> Equation:
        shape = (math.prod(rows.shape[:-1]), rows.shape[-1])
        return loop.emit(structural.reshape, (rows,), shape, rows.dtype, shape=shape, order="C")

    def total() -> Equation:
        left = tall(xs())
        turned = loop.emit(structural.transpose, (left,), left.shape[::-1], left.dtype, axes=(1, 0))
        return loop.emit(contract.matmul, (turned, tall(ys())), term.shape, term.dtype)

    return total


def _rows(loop: Loop, x: Equation) -> Callable[[], Any] | None:
    """What gives the rows of a value of the step after the loop."""
    if x in loop.rows:
        return lambda: loop.rows[x]
    if x in loop.constants or not _fits(loop, x.shape):
        return None
    k = loop.join(x)
    return lambda: loop.results[k]
