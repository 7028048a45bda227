"""Stretches: what machine code takes of a program of small arrays of which it does not take all.

What lies between two operations that are left to NumPy becomes one function. An operation belongs to the first stretch
in which its operands are known, which is counted by the operations of NumPy's that come before it on the longest way.
A program with arrays that are large enough for tiles is left as it is, for its groups take small operations with them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from itertools import count, groupby
from typing import Any

from funcgrad.compile.native.indices import CHANGES
from funcgrad.compile.native.ir import Unwritable
from funcgrad.compile.native.places import array, is_view
from funcgrad.compile.native.plans import Constants, Plan
from funcgrad.compile.native.regions import Region
from funcgrad.compile.numpy_backend.groups import LARGE, SUMS, elementwise
from funcgrad.compile.rewrite import readers, with_inputs
from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.results import Projection

_FEW = 3  # operations from which a stretch is worth a call
_MOST = 1 << 10  # equations of a program, of which LLVM takes about a millisecond each
_COPIED = 1 << 10  # elements of an array that NumPy changes where it is, and a stretch would copy


class Stretch(Call):
    """A call of a stretch.

    Arguments:
        tape: the stretch.
        watched: the numbers of its results that are results of the program.
    """

    __slots__ = ("watched",)

    def __init__(self, tape: Tape, watched: Collection[int]) -> None:
        super().__init__(TapeBody(tape), "stretch")
        self.watched = watched


def cut(tape: Tape) -> Tape:
    """A program with calls in the places of stretches; the program itself if there are none."""
    large = any(_size(e) >= LARGE and (elementwise(e) or e.primitive in SUMS) for e in tape.equations)
    if large or tape.effects or len(tape) > _MOST:
        return tape
    read_by = readers(tape.equations)
    inside = _inside(tape, read_by)
    levels = _levels(tape, inside)
    pieces = groupby(sorted(tape.equations, key=lambda e: levels[e]), key=lambda e: levels[e])
    number, outputs = count().__next__, {o for o in tape.outputs if type(o) is Equation}
    stretches = 0
    env: dict[Any, Any] = {i: i for i in tape.inputs}

    def known(e: Equation) -> tuple:
        return tuple([env[i] if type(i) is Equation else i for i in e.inputs])

    for (_, left), group in pieces:
        es = list(group)
        if left or len([e for e in es if e.picks is None and not is_view(e)]) < _FEW:
            for e in es:
                env[e] = with_inputs(e, known(e), number())
            continue
        of = set(es)
        results = [e for e in es if e in outputs or not of.issuperset(read_by.get(e, ()))]
        stretch, operands = _stretch(es, results)
        stretches += 1
        plan = Symbol(Stretch(stretch, [k for k, r in enumerate(results) if r in outputs]), len(operands))
        shapes, dtypes = [tuple([getattr(r, name) for r in results]) for name in ("shape", "dtype")]
        call = equation(number(), plan, tuple([env[i] for i in operands]), {}, (), shapes, dtypes)
        for k, r in enumerate(results):
            env[r] = equation(number(), Projection(call, k), (call,), {"index": k}, (), r.shape, r.dtype)
    if not stretches or len(inside) == len(tape.equations):
        return tape
    made = [env[o] if type(o) is Equation else o for o in tape.outputs]
    return Tape(tape.inputs, made, tape.in_tree, tape.out_tree, symbolic=True)


def _stretch(es: Sequence[Equation], results: Sequence[Equation]) -> tuple[Tape, list[Equation]]:
    """The tape of equations, and what it reads."""
    of = set(es)
    operands = list(dict.fromkeys([i for e in es for i in e.inputs if type(i) is Equation and i not in of]))
    env = {i: equation(-1, None, (), {}, (), i.shape, i.dtype) for i in operands}
    inputs = list(env.values())
    for e in es:
        env[e] = with_inputs(e, tuple([env[i] if type(i) is Equation else i for i in e.inputs]))
    return Tape(inputs, [env[r] for r in results], None, None, symbolic=True), operands


def _inside(tape: Tape, read_by: dict[Equation, list[Equation]]) -> set[Equation]:
    """What belongs to stretches: what machine code takes, but for views that only others read."""
    found: set[Equation] = set()
    for e in tape.equations:
        if e.inputs[0] in found if e.picks is not None else _taken(e):
            found.add(e)
    for e in reversed(tape.equations):
        if is_view(e) and found.isdisjoint(read_by.get(e, ())):
            found.discard(e)
    return found


def _levels(tape: Tape, inside: set[Equation]) -> dict[Equation, tuple[int, bool]]:
    """For each equation its stretch, or that after which NumPy carries it out, and whether it does."""
    found: dict[Equation, tuple[int, bool]] = {}
    for e in tape.equations:
        level, left = 0, e not in inside
        for i in e.inputs:
            if type(i) is Equation and i in found:
                level = max(level, found[i][0] + (found[i][1] and not left))
        found[e] = level, left
    return found


def _taken(e: Equation) -> bool:
    """Whether there is a plan for an equation by itself, and it is worth it."""
    if e.primitive in CHANGES and _size(e) > _COPIED:
        return False
    if is_view(e):
        return True
    inputs = {i: equation(-1, None, (), {}, (), i.shape, i.dtype) for i in e.inputs if type(i) is Equation}
    alone = with_inputs(e, tuple([inputs[i] if type(i) is Equation else i for i in e.inputs]), 0)
    kinds = list(zip(e.shape, e.dtype, strict=True)) if isinstance(e.dtype, tuple) else [(e.shape, e.dtype)]
    results = [alone]
    if isinstance(e.dtype, tuple):
        items = enumerate(kinds)
        results = [equation(1, Projection(alone, k), (alone,), {"index": k}, (), *kind) for k, kind in items]
    given, to = [[array(Region(), shape_of(x), dtype_of(x)) for x in xs] for xs in (inputs.values(), results)]
    try:
        Plan(Tape(list(inputs.values()), results, None, None, symbolic=True), given, to, Constants())
    except Unwritable:
        return False
    return True


def _size(e: Equation) -> int:
    """The elements of the largest of what an equation reads and gives."""
    operands = [i for i in e.inputs if i is not None]
    shapes = [s for x in (e, *operands) for s in (x.shape if isinstance(dtype_of(x), tuple) else [shape_of(x)])]
    return max([math.prod(s) for s in shapes])
