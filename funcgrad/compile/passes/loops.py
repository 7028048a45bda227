"""Loops: loop-invariant work is hoisted out of a scan; unread carries and outputs are dropped.

What a step computes of the constants alone is computed once, before the loop. A carry that no step changes is a
constant; constants that are known are part of the step. Results that nobody reads go, with what leads to them. What
does not depend on the other steps is done for all of them at once (passes/loop_rows.py).
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from funcgrad.compile.passes.loop import Loop, is_scan
from funcgrad.compile.passes.loop_rows import independent
from funcgrad.compile.rewrite import with_inputs
from funcgrad.core.array import raw
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape, equation, reachable
from funcgrad.core.types import shape_of
from funcgrad.ops import structural


def loops(tape: Tape) -> Tape:
    """The tape with its scans made smaller."""
    if not any(is_scan(e) for e in tape.equations):
        return tape
    read: dict[Equation, set[int]] = {}
    for e in tape.equations:
        if e.picks is not None:
            read.setdefault(e.inputs[0], set()).add(e.picks)
    number = count().__next__
    env: dict[Equation, Any] = {e: e for e in tape.inputs}
    results: dict[Equation, dict[int, Any]] = {}
    for e in tape.equations:
        inputs = tuple([env[i] if type(i) is Equation else i for i in e.inputs])
        if is_scan(e):
            loop = Loop(e, inputs, number)
            loop.outputs = {k: o for k, o in loop.outputs.items() if k in loop.carry or k in read.get(e, ())}
            _shrink(loop, {k for k in loop.carry if k in read.get(e, ())})
            independent(loop)
            env[e] = loop.close()
            results[e] = loop.results
        elif e.picks is not None and e.inputs[0] in results:
            env[e] = results[e.inputs[0]][e.picks]
        else:
            env[e] = with_inputs(e, inputs, number())
    outputs = [env[o] if type(o) is Equation else o for o in tape.outputs]
    effects = [env[o] for o in tape.effects]
    return Tape(tape.inputs, outputs, tape.in_tree, tape.out_tree, symbolic=True, effects=effects)


def _shrink(loop: Loop, read: set[int]) -> None:
    """Leave out what nobody needs, and compute before the loop what is the same in each step.

    Arguments:
        loop: the scan.
        read: the numbers of the carry that somebody reads in the end.
    """
    for k in set(loop.carry) - _needed(loop, read):
        del loop.carry[k], loop.outputs[k]
    for k, (i, first) in list(loop.carry.items()):
        if loop.outputs[k] is i:  # no step changes it
            loop.constants[i] = loop.results[k] = first
            del loop.carry[k], loop.outputs[k]
    for k, o in list(loop.outputs.items()):
        if k in loop.carry:
            continue
        if type(o) is not Equation:  # the same rows, known already
            loop.results[k] = np.broadcast_to(raw(o), (loop.length, *shape_of(o)))
            del loop.outputs[k]
        elif o in loop.rows:  # the rows of an array, as they are
            loop.results[k] = loop.rows[o]
            del loop.outputs[k]
    loop.change(lambda e, xs: None, {i: x for i, x in loop.constants.items() if type(x) is not Equation})
    if loop.length:
        _hoist(loop)


def _needed(loop: Loop, read: set[int]) -> set[int]:
    """The carry that leads in any step to what is read."""
    found = set(read)
    while True:
        outputs = [o for k, o in loop.outputs.items() if (k in found or k not in loop.carry) and type(o) is Equation]
        reached = set(reachable([*outputs, *loop.effects]))
        after = found | {k for k, (i, _) in loop.carry.items() if i in reached}
        if after == found:
            return found
        found = after


def _hoist(loop: Loop) -> None:
    """Compute before the loop what depends on nothing but constants."""
    before: dict[Equation, Any] = {i: x for i, x in loop.constants.items() if type(x) is Equation}
    fresh: dict[Equation, Equation] = {}
    for e in loop.step().equations:
        operands = [i for i in e.inputs if type(i) is Equation]
        p = e.primitive
        if not operands or not isinstance(p, Primitive) or p.multiple or p is structural.broadcast_to:
            continue
        if all(i in before for i in operands):
            inputs = tuple([before[i] if type(i) is Equation else i for i in e.inputs])
            before[e] = with_inputs(e, inputs, loop.number())
            fresh[e] = equation(0, None, (), {}, (), e.shape, e.dtype)
    loop.constants = {**loop.constants, **{i: before[e] for e, i in fresh.items()}}
    loop.change(lambda e, _: fresh.get(e))
