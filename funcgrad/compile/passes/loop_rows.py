"""What the steps of a scan do independently of each other, for all of them at once: before the loop and after it.

What a step computes of rows and constants alone needs no carry. Under `vmap` over the rows it is one call instead of
one for each step. The same holds for what leads to no further step, after the loop. And what the steps add up, as the
gradient of a weight in a recurrent network is added up from products AᵢᵀBᵢ, is one product of all their rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.compile.passes.loop import Loop
from funcgrad.compile.rewrite import reads, rewrite, with_inputs
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape, equation, reachable
from funcgrad.core.types import ShapeDtypeStruct, shape_of
from funcgrad.ops import contract, index, reduce, structural
from funcgrad.ops import elementwise as ew
from funcgrad.transforms.bodies import Batched, TapeBody
from funcgrad.transforms.closing import close

SHORT = 8  # steps from which it is worth it
SMALL = 1 << 13  # elements up to which the call in a step costs as much as what it computes
MOST = 1 << 21  # elements of all rows together
_VIEWS = (structural.reshape, structural.transpose, structural.broadcast_to, index.getitem)


def independent(loop: Loop) -> None:
    """Move out of the loop what the steps do independently of each other."""
    if loop.length >= SHORT:
        compute_rows_before(loop)
        add_up_after(loop)
        compute_rows_after(loop)


def compute_rows_before(loop: Loop) -> None:
    """Compute before the loop what depends on rows and constants alone."""
    rows = set(loop.rows)
    fresh: dict[Equation, Equation] = {}
    step = loop.step()
    for e in step.equations:
        operands = [i for i in e.inputs if type(i) is Equation]
        if all(i in rows or i in loop.constants for i in operands) and rows.intersection(operands) and _fits(loop, e):
            rows.add(e)
            if e.primitive not in _VIEWS:  # which cost nothing in the step either
                fresh[e] = equation(0, None, (), {}, (), e.shape, e.dtype)
    if not fresh:
        return
    results = {k: o for k, o in loop.outputs.items() if k not in loop.carry and type(o) is Equation and o in fresh}
    for k in results:
        del loop.outputs[k]
    loop.change(lambda e, _: fresh.get(e))
    left = set(reachable([*[o for o in loop.outputs.values() if type(o) is Equation], *loop.effects]))
    wanted = [e for e, i in fresh.items() if i in left]
    given = {**loop.rows, **{i: x for i, x in loop.constants.items() if i in step.inputs}}
    found = _for_all_rows(loop, [*wanted, *results.values()], loop.rows, given)
    loop.rows = {**loop.rows, **{fresh[e]: x for e, x in zip(wanted, found, strict=False)}}
    loop.results.update(zip(results, found[len(wanted) :], strict=True))


def compute_rows_after(loop: Loop) -> None:
    """Compute after the loop what leads to no further step.

    What it reads of the steps is joined, and that must not be much more than what is joined now.
    """
    ends = [o for k, o in loop.outputs.items() if k in loop.carry and type(o) is Equation]
    stays = set(reachable([*ends, *loop.effects]))
    step = loop.step()
    for e in reversed(step.equations):
        moving = any(type(i) is Equation and i not in loop.constants for i in e.inputs)
        if e not in stays and not (moving and _fits(loop, e)):
            stays.update(reachable([e]))
    later = {e: None for e in step.equations if e not in stays}
    read = dict.fromkeys([i for e in later for i in e.inputs if type(i) is Equation])
    border = [i for i in read if i not in loop.constants and (i in stays or i.plan is None)]
    new = [i for i in border if i not in loop.rows and loop.joined(i) is None]
    saved = sum([math.prod(e.shape) for e in later if loop.joined(e) is not None])
    if all(e.primitive in _VIEWS for e in later) or sum([math.prod(i.shape) for i in new]) > max(4 * saved, SHORT**2):
        return
    if not all(_small(loop, i.shape) for i in new):
        return
    results = {k: o for k, o in loop.outputs.items() if type(o) is Equation and o in later}
    for k in results:
        del loop.outputs[k]
    rows = {i: _rows(loop, i) for i in border}
    constants = {i: loop.constants[i] for i in read if i in loop.constants}

    def finish() -> None:
        by_row = {i: found() for i, found in rows.items() if found is not None}
        found = _for_all_rows(loop, list(results.values()), by_row, {**by_row, **constants})
        loop.results.update(zip(results, found, strict=True))

    loop.after.append(finish)


def _small(loop: Loop, shape: tuple[int, ...]) -> bool:
    return math.prod(shape) <= SMALL and loop.length * math.prod(shape) <= MOST


def _fits(loop: Loop, e: Equation) -> bool:
    """Whether vmap knows what an equation of the step is for all rows, and they are not too much at a time."""
    p = e.primitive
    return isinstance(p, Primitive) and not p.multiple and p.batch is not None and _small(loop, e.shape)


def _for_all_rows(
    loop: Loop, wanted: Sequence[Equation], by_row: dict[Equation, Any], given: dict[Equation, Any]
) -> list[Any]:
    """Values of the step for all rows, on the new tape.

    Arguments:
        loop: the scan.
        wanted: equations of the step.
        by_row: the values that differ between the steps.
        given: what these and the constants are on the new tape; the others are computed from them.
    """
    inputs = {i: i if i.plan is None else equation(0, None, (), {}, (), i.shape, i.dtype) for i in given}
    everything = Tape(list(inputs.values()), list(wanted), None, None, symbolic=True)
    computed = set(wanted)
    tape = rewrite(everything, lambda e, _: None if e in computed else inputs.get(e))
    mask = tuple([i in by_row for i in given])
    kinds = [
        ShapeDtypeStruct((loop.length, *i.shape) if m else i.shape, i.dtype) for i, m in zip(given, mask, strict=True)
    ]
    body, _, _ = close(Batched(TapeBody(tape), mask, loop.length, None), kinds, "vmap", decides=False)
    env: dict[Equation, Any] = dict(zip(body.tape.inputs, given.values(), strict=True))
    for e in body.tape.equations:
        env[e] = with_inputs(e, tuple([env[i] if type(i) is Equation else i for i in e.inputs]), loop.number())
    return [env[o] if type(o) is Equation else o for o in body.tape.outputs]


def add_up_after(loop: Loop) -> None:
    """Add up after the loop what the steps add to a carry that they do not look at, if all rows can be met at once."""
    readers = reads(loop.step())
    for k, (i, first) in list(loop.carry.items()):
        o = loop.outputs[k]
        if type(o) is not Equation or o.primitive is not ew.add or readers.get(i) != 1 or readers.get(o) != 1:
            continue
        outputs = list(loop.outputs.values())
        if any(x is i for x in outputs) or sum([x is o for x in outputs]) != 1:  # somebody looks at it all the same
            continue
        if not any(x is i for x in o.inputs) or o.dtype.char not in "fdFD":
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
    if x in loop.constants or not _small(loop, x.shape):
        return None
    k = loop.join(x)
    return lambda: loop.results[k]
