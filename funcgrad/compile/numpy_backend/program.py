"""From a tape to a Python function: one line for each operation, one function for each group of large ones."""

from __future__ import annotations

import linecache
import math
from collections.abc import Callable
from itertools import count

import numpy as np

from funcgrad.compile.numpy_backend.groups import LARGE, Group, elementwise, schedule
from funcgrad.compile.numpy_backend.lowering import Names, expression, literal
from funcgrad.compile.numpy_backend.numbers import numbers_program, suitable
from funcgrad.compile.numpy_backend.tiles import Tiled
from funcgrad.core.tape import Equation, Tape
from funcgrad.transforms.results import Projection

_number = count(1).__next__


def program(tape: Tape) -> Callable[..., tuple]:
    """The kernel of a tape: a function of raw values that gives a tuple of them, with its `source`."""
    return numbers_program(tape, lambda: arrays_program(tape)) if suitable(tape) else arrays_program(tape)


def arrays_program(tape: Tape) -> Callable[..., tuple]:
    """The kernel that calls NumPy for each equation or group."""
    names = Names()
    label = {e: f"v{k}" for k, e in enumerate(tape.inputs)}
    fresh = count(len(label)).__next__
    spare: list[str] = []  # names of values that nobody reads any more, for others
    plan = schedule(tape)
    frugal = len(plan) > _LONG

    def named(e: Equation) -> str:
        label[e] = spare.pop() if spare else f"v{fresh()}"
        return label[e]

    readers: dict[Equation, int] = {}  # the place in the plan of the last that reads an equation
    read: set[Equation] = set()  # by another step than the one that computes it
    for k, step in enumerate(plan):
        for e in (*step.members, *step.reductions) if isinstance(step, Group) else (step,):
            for i in e.inputs:
                if type(i) is Equation and not (isinstance(step, Group) and i in step.members):
                    readers[i] = k
                    read.add(i)
    outputs = {o for o in tape.outputs if type(o) is Equation}
    given: set[Equation] = set()  # what earlier groups gave; a later one may compute it again for itself
    stretched = _stretched(plan)
    wide: dict[tuple[Equation, tuple[int, ...]], str] = {}
    lines: list[str] = []
    functions: list[str] = []
    groups: list[tuple[str, Tiled]] = []
    for k, step in enumerate(plan):
        if isinstance(step, Group):
            needed = [e for e in step.members if (e in outputs or e in read) and e not in given]
            given.update(needed)
            title = f"group_{len(groups) + 1}"
            tiled = Tiled(step, needed, names, f"{title}_tiles")
            groups.append((title, tiled))
            functions.append(tiled.text)
            call = f"{title}({', '.join(label[i] for i in tiled.operands)})"
            lines.append(f"{', '.join([named(e) for e in (*needed, *step.reductions)])}, = {call}")
        elif isinstance(step.plan, Projection):
            lines.append(f"{named(step)} = {label[step.inputs[0]]}[{step.plan.index}]")
        else:
            args = [label[i] if type(i) is Equation else literal(i, "constant", names) for i in step.inputs]
            for n, i in enumerate(step.inputs):
                key = (i, step.shape)
                if type(i) is Equation and key in stretched:
                    if key not in wide:
                        wide[key] = f"wide_{len(wide) + 1}"
                        shape = names.of(np.broadcast_to, "broadcast_to")
                        lines.append(f"{wide[key]} = {shape}({label[i]}, {step.shape!r}).copy()")
                    args[n] = wide[key]
            lines.append(f"{named(step)} = {expression(step, args, names)}")
        operands = groups[-1][1].operands if isinstance(step, Group) else step.inputs
        dead = [
            e
            for e in dict.fromkeys([i for i in operands if type(i) is Equation])
            if readers.get(e) == k and e not in outputs and e.plan is not None
        ]
        large = [label[e] for e in dead if not isinstance(e.dtype, tuple) and math.prod(e.shape) >= LARGE]
        if large:
            lines.append("del " + ", ".join(large))
        if frugal:
            spare += [label[e] for e in dead]
    results = [label[o] if type(o) is Equation else literal(o, "constant", names) for o in tape.outputs]
    head = f"def program({', '.join(label[i] for i in tape.inputs)}):"
    body = "".join(f"    {line}\n" for line in lines)
    source = "\n".join(functions) + f"{head}\n{body}    return ({''.join(r + ', ' for r in results)})\n"
    filename = f"<funcgrad program {_number()}>"
    scope = names.scope
    exec(compile(source, filename, "exec"), scope)  # noqa: S102  (our own text)
    for title, tiled in groups:
        scope[title] = tiled.function(scope[tiled.title])
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)  # for tracebacks
    made = scope["program"]
    made.source = source
    return made


_LONG = 100  # steps from which names are used again, so that small arrays are freed as well
_OFTEN = 8  # uses from which it is worth stretching a small operand once


def _stretched(plan: list[Equation | Group]) -> set[tuple[Equation, tuple[int, ...]]]:
    """Operands that many small operations stretch to the same shape, which costs more than to compute with them."""
    counts: dict[tuple[Equation, tuple[int, ...]], int] = {}
    for e in plan:
        if isinstance(e, Group) or isinstance(e.plan, Projection) or not elementwise(e):
            continue
        for i in e.inputs:
            if type(i) is Equation and i.shape != e.shape and i.shape and math.prod(e.shape) <= LARGE:
                counts[i, e.shape] = counts.get((i, e.shape), 0) + 1
    return {key for key, n in counts.items() if n >= _OFTEN}
