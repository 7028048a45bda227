"""How a pass makes a new tape of an old one: equation by equation, in order."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from funcgrad.core.tape import Equation, Symbol, Tape, equation
from funcgrad.transforms.call import Call


def rewrite(tape: Tape, rule: Callable[[Equation, tuple], Any], known: dict[Equation, Any] | None = None) -> Tape:
    """A tape in which a rule has looked at each equation.

    Arguments:
        tape: a whole program.
        rule: takes an equation and its operands as they are in the new tape; gives an Equation of the new tape or a
            constant to take its place, or None to keep it.
        known: constants that take the places of inputs.

    Returns:
        A new tape with the same inputs, or the old one if nothing changes. Equations that nobody reads any more are
        gone.
    """
    env: dict[Equation, Any] = dict(known or {})  # what has changed
    for e in tape.equations:
        inputs = e.inputs
        for i in inputs if env else ():
            if type(i) is Equation and i in env:
                inputs = tuple([env.get(i, i) if type(i) is Equation else i for i in inputs])
                break
        found = rule(e, inputs)
        if found is None:
            if inputs is e.inputs:
                continue
            found = equation(e.number, e.plan, inputs, e.params, (), e.shape, e.dtype)
        if found is not e:
            env[e] = found
    if not env:
        return tape
    outputs = [env.get(o, o) if type(o) is Equation else o for o in tape.outputs]
    effects = [env.get(o, o) for o in tape.effects]
    return Tape(tape.inputs, outputs, tape.in_tree, tape.out_tree, symbolic=True, effects=effects)


def with_any(*primitives: Any) -> Callable[[Callable[[Tape], Tape]], Callable[[Tape], Tape]]:
    """Make a pass leave a tape alone that has none of these operations: most passes are about few of them."""
    wanted = frozenset(primitives)

    def decorated(run: Callable[[Tape], Tape]) -> Callable[[Tape], Tape]:
        @functools.wraps(run)
        def where_wanted(tape: Tape) -> Tape:
            return tape if wanted.isdisjoint(tape.primitives) else run(tape)

        return where_wanted

    return decorated


def reads(tape: Tape) -> dict[Any, int]:
    """How often each value is read: as an operand, and as a result of the program."""
    found: dict[Any, int] = {}
    for i in [*[i for e in tape.equations for i in e.inputs], *tape.outputs]:
        if type(i) is Equation:
            found[i] = found.get(i, 0) + 1
    return found


def readers(equations: Iterable[Equation]) -> dict[Equation, list[Equation]]:
    """Which equations read each value, each of them once."""
    found: dict[Equation, list[Equation]] = {}
    for e in equations:
        for i in dict.fromkeys([i for i in e.inputs if type(i) is Equation]):
            found.setdefault(i, []).append(e)
    return found


def with_inputs(e: Equation, inputs: tuple, number: float | None = None) -> Equation:
    """The same operation on other operands."""
    if inputs is e.inputs and number is None:
        return e
    if number is None and all(map(operator.is_, inputs, e.inputs)):
        return e
    return equation(e.number if number is None else number, e.plan, inputs, e.params, (), e.shape, e.dtype)


def applied(primitive: Any, before: Equation, *inputs: Any, **params: Any) -> Equation:
    """A new equation in the place of an old one, with the same shape and dtype."""
    return equation(before.number, Symbol(primitive, len(inputs)), inputs, params, (), before.shape, before.dtype)


def inlined(tape: Tape, expand: Callable[[Equation], Tape | None]) -> Tape:
    """A tape in which the equations that hold a tape are replaced by what is on it, however deep.

    Arguments:
        tape: a whole program.
        expand: gives the tape that an equation of a call holds, or None to leave it whole.

    Returns:
        A new tape, or the old one if nothing changes.
    """
    made: dict[Equation, Tape | None] = {e: expand(e) for e in tape.equations if isinstance(e.primitive, Call)}
    if all(inner is None for inner in made.values()):
        return tape
    number = count().__next__
    effects: list[Equation] = []
    outside: list[tuple[Tape, Iterator[Equation], dict[Equation, Any], Equation]] = []  # the tapes around this one
    t, env = tape, dict[Equation, Any](zip(tape.inputs, tape.inputs, strict=True))
    rest = iter(tape.equations)
    while True:
        for e in rest:
            inputs = [env[i] if type(i) is Equation else i for i in e.inputs]
            if e.picks is not None and type(inputs[0]) is list:
                env[e] = inputs[0][e.picks]
                continue
            if isinstance(e.primitive, Call) and e not in made:
                made[e] = expand(e)
            inner = made.get(e)
            if inner is not None:
                outside.append((t, rest, env, e))
                t, rest, env = inner, iter(inner.equations), dict(zip(inner.inputs, inputs, strict=True))
                break
            env[e] = with_inputs(e, tuple(inputs), number())
        else:
            effects.extend([env[o] for o in t.effects if type(env[o]) is Equation])
            outputs = [env[o] if type(o) is Equation else o for o in t.outputs]
            if not outside:
                return Tape(tape.inputs, outputs, tape.in_tree, tape.out_tree, symbolic=True, effects=effects)
            t, rest, env, e = outside.pop()
            env[e] = outputs
