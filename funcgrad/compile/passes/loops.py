"""Loops: a scan does in its steps no more than has to be done in each, and carries and joins what somebody reads.

What a step computes of the constants alone is computed once, before the loop. A carry that no step changes is a
constant; constants that are known are part of the step. Results that nobody reads go, with what leads to them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

from funcgrad.compile.rewrite import rewrite, with_inputs
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Symbol, Tape, equation, reachable
from funcgrad.lax.control_flow import ControlFlow
from funcgrad.lax.scan_body import Scan
from funcgrad.ops import structural
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.results import Projection


def loops(tape: Tape) -> Tape:
    """The tape with its scans made smaller."""
    if not any(_is_scan(e) for e in tape.equations):
        return tape
    read: dict[Equation, set[int]] = {}
    for e in tape.equations:
        if isinstance(e.plan, Projection):
            read.setdefault(e.inputs[0], set()).add(e.plan.index)
    number = count().__next__
    env: dict[Equation, Any] = {e: e for e in tape.inputs}
    parts: dict[tuple[Equation, int], Any] = {}  # what has taken the place of a result of a scan
    for e in tape.equations:
        inputs = tuple([env[i] if type(i) is Equation else i for i in e.inputs])
        if _is_scan(e):
            smaller = _SmallerScan(e, inputs, read.get(e, set()), number)
            env[e] = smaller.equation
            parts.update({(e, k): x for k, x in smaller.results.items()})
        elif isinstance(e.plan, Projection) and (e.inputs[0], e.plan.index) in parts:
            env[e] = parts[e.inputs[0], e.plan.index]
        else:
            env[e] = with_inputs(e, inputs, number())
    outputs = [env[o] if type(o) is Equation else o for o in tape.outputs]
    effects = [env[o] for o in tape.effects]
    return Tape(tape.inputs, outputs, tape.in_tree, tape.out_tree, symbolic=True, effects=effects)


def _is_scan(e: Equation) -> bool:
    body = getattr(e.primitive, "body", None)
    return isinstance(e.primitive, ControlFlow) and type(body) is Scan and type(body.step) is TapeBody


class _SmallerScan:
    """A scan equation in its new form.

    Arguments:
        e: the equation.
        inputs: its operands on the new tape.
        read: the numbers of the results that somebody reads.
        number: gives the numbers of new equations, in order.

    Attributes:
        equation: the scan.
        results: for each result that is read, the equation or constant that gives it now.
    """

    def __init__(self, e: Equation, inputs: tuple, read: set[int], number: Callable[[], int]) -> None:
        scan: Scan = e.primitive.body
        tape, n, m = scan.step.tape, scan.constants, scan.carry
        carried = _carried(tape, n, m, read)
        fixed = {k for k in carried if tape.outputs[k] is tape.inputs[n + k]}
        steady = [*range(n), *[n + k for k in fixed]]  # the operands that are the same in each step
        given = {tape.inputs[k]: inputs[k] for k in steady}
        step = rewrite(tape, lambda e, xs: None, {i: x for i, x in given.items() if type(x) is not Equation})
        outside = {i: x for i, x in given.items() if type(x) is Equation}
        if scan.length:
            step, outside = _hoisted(step, outside, number)
        changing = sorted(carried - fixed)
        ys = [k for k in sorted(read) if k >= m and tape.outputs[k] not in tape.inputs[n + m :]]
        outputs = [step.outputs[k] for k in (*changing, *ys)]
        needed = set(reachable([*[o for o in outputs if type(o) is Equation], *step.effects]))
        held = [i for i in outside if i in needed]
        rows = [k for k in range(n + m, len(inputs)) if tape.inputs[k] in needed]
        parts = [*held, *[tape.inputs[n + k] for k in changing], *[tape.inputs[k] for k in rows]]
        body = TapeBody(Tape(parts, outputs, None, None, symbolic=True, effects=step.effects))
        call = ControlFlow(Scan(body, len(held), len(changing), scan.length, scan.reverse), e.primitive.name)
        operands = (*[outside[i] for i in held], *[inputs[n + k] for k in changing], *[inputs[k] for k in rows])
        given_back = (*changing, *ys)
        shapes, dtypes = tuple([e.shape[k] for k in given_back]), tuple([e.dtype[k] for k in given_back])
        self.equation = equation(number(), Symbol(call, len(operands)), operands, {}, (), shapes, dtypes)
        self.results: dict[int, Any] = {k: inputs[n + k] for k in fixed}
        for k in read:
            if k >= m and k not in ys:  # the rows of an array, as they are
                self.results[k] = inputs[tape.inputs.index(tape.outputs[k])]
        for j, k in enumerate(given_back):
            plan = Projection(self.equation, j)
            self.results[k] = equation(number(), plan, (self.equation,), {"index": j}, (), shapes[j], dtypes[j])


def _carried(tape: Tape, n: int, m: int, read: set[int]) -> set[int]:
    """The carry that has to be there for what is read: what leads to it in any step."""
    found = {k for k in read if k < m}
    while True:
        outputs = [tape.outputs[k] for k in found | read if type(tape.outputs[k]) is Equation]
        needed = set(reachable([*outputs, *tape.effects]))
        after = found | {k for k in range(m) if tape.inputs[n + k] in needed}
        if after == found:
            return found
        found = after


def _hoisted(step: Tape, outside: dict[Equation, Any], number: Callable[[], int]) -> tuple[Tape, dict[Equation, Any]]:
    """A step without what can be computed before the loop.

    Arguments:
        step: the tape of a step.
        outside: the inputs that are the same in each step, and what they are outside.
        number: gives the numbers of new equations, in order.

    Returns:
        `(step, outside)`: the step, with new inputs among those that are the same in each step.
    """
    before = dict(outside)
    for e in step.equations:
        operands = [i for i in e.inputs if type(i) is Equation]
        p = e.primitive
        if not operands or not isinstance(p, Primitive) or p.multiple or p is structural.broadcast_to:
            continue
        if all(i in before for i in operands):
            inputs = tuple([before[i] if type(i) is Equation else i for i in e.inputs])
            before[e] = with_inputs(e, inputs, number())
    fresh = {e: equation(0, None, (), {}, (), e.shape, e.dtype) for e in before if e not in outside}
    step = rewrite(step, lambda e, _: fresh.get(e))
    return step, {**outside, **{i: before[e] for e, i in fresh.items()}}
