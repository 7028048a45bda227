"""Operations that hold functions: how checkpoints, control flow, custom rules and callbacks pass through transforms.

A primitive has a record with a rule for each transform. An operation that is made around a function of the user has
none; it is a `Call`, and each trace that meets it asks the call itself:

    evaluate(*xs)          no transform is left: compute;
    jvp(primals, tangents)     results, and their tangents;
    vjp(primals, mask)         results, and a pullback, a pytree whose leaves the tape keeps;
    batch(trace, args, mask)   results, and which of them carry the batch dimension;
    kinds(kinds)               shapes and dtypes of the results.

What a call computes is its *body*: a function from a flat list of arrays to a flat list of arrays that closes over no
tracer, for values that a closure carried in have been made operands (`close`). A body can be run at any level, so the
general answers are the same call with a derived body: its pushforward, its pullback, its batched form. In the backward
pass the body is run again from its operands, which are all that was kept. Subclasses override what they know better.

Operands and results of a call are Arrays and tracers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, raw, wrap
from funcgrad.core.tape import Equation, Tape, equation
from funcgrad.core.trace import Tracer, bind_call, constant, known
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.transforms.arguments import input_values, output_values
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.make_tape import SymbolicTrace, SymbolicTracer
from funcgrad.transforms.vjp import Pullback, record
from funcgrad.transforms.vmap import BatchTrace


class Call:
    """An operation whose rules follow from its body.

    Arguments:
        body: a function of flat arrays that gives a list of them, with a method `kinds` that gives the shapes and
            dtypes of its results from those of its arguments.
        name: what it is called on tapes and in messages.
    """

    __slots__ = ("body", "name")
    multiple = True
    effect = False  # whether it does something beside computing, so that it must stay on a tape

    def __init__(self, body: Any, name: str) -> None:
        self.body, self.name = body, name

    def derived(self, body: Any) -> Call:
        """The same kind of call of another body."""
        return Call(body, self.name)

    def __call__(self, *args: Any) -> list[Any]:
        return bind_call(self, args)

    def evaluate(self, *args: Any) -> list[Any]:
        return [wrap(o) for o in self.body(*args)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.body.kinds(kinds)

    def linear(self, mask: Sequence[bool]) -> bool:
        """Whether it is known to be linear in the operands that mask marks; else `linear_transpose` looks inside."""
        return False

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        mask = tuple([t is not None for t in tangents])
        found = self.derived(Pushforward(self.body, mask))(*primals, *[t for t in tangents if t is not None])
        outs = found[: len(found) - sum(is_inexact(o.dtype) for o in found) // 2]
        rest = iter(found[len(outs) :])
        return outs, [next(rest) if is_inexact(o.dtype) else None for o in outs]

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs = self(*primals)
        kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        return outs, Rerun(self.derived(PullbackBody(self.body, mask)), kinds, primals)

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        outs = self.derived(Batched(self.body, mask, trace.size, trace.axis_name))(*args)
        return outs, (True,) * len(outs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name})"


class Rerun:
    """The pullback of a call: it keeps the operands, and runs the body again with its derivative.

    Arguments:
        call: of the pullback of the body, which takes the operands and a cotangent for each inexact result.
        kinds: of the results.
        primals: the operands.
    """

    __slots__ = ("call", "kinds", "primals")

    def __init__(self, call: Call, kinds: list[ShapeDtypeStruct], primals: Sequence[Any]) -> None:
        self.call, self.kinds, self.primals = call, kinds, tuple(primals)

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        return self.call(*self.primals, *present(cotangents, self.kinds))


tree.register_pytree_node(
    Rerun, lambda r: (r.primals, (r.call, r.kinds)), lambda aux, primals: Rerun(aux[0], aux[1], primals)
)


def present(cotangents: Sequence[Any], kinds: Sequence[ShapeDtypeStruct]) -> list[Any]:
    """A cotangent for each inexact result, zeros where none arrived."""
    return [
        np.zeros(k.shape, k.dtype) if g is None else g
        for g, k in zip(cotangents, kinds, strict=True)
        if is_inexact(k.dtype)
    ]


# Bodies: a recorded one, and those derived from another.


class TapeBody:
    """The body that a tape is."""

    __slots__ = ("tape",)

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    def __call__(self, *args: Any) -> list[Any]:
        return self.tape.run(args)

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [ShapeDtypeStruct(o.shape, o.dtype) for o in self.tape.outputs]


class FunctionBody:
    """The body that a function of the user is, run as it stands each time.

    Arguments:
        f: a function of pytrees.
        in_tree: the structure of the tuple of its arguments.
        name: of the transform, for messages.

    Attributes:
        out_tree: the structure of what f returned when it last ran.
    """

    __slots__ = ("f", "in_tree", "name", "out_tree")

    def __init__(self, f: Callable, in_tree: Any, name: str) -> None:
        self.f, self.in_tree, self.name = f, in_tree, name
        self.out_tree: Any = None

    def __call__(self, *args: Any) -> list[Any]:
        outs, self.out_tree = output_values(self.f(*self.in_tree.unflatten(args)), self.name)
        return outs

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        trace = SymbolicTrace(self.name)
        with trace:
            return [ShapeDtypeStruct(o.shape, o.dtype) for o in self(*[trace.input(k) for k in kinds])]


class Pushforward:
    """Forward mode of a body: from its arguments and the tangents of those marked, to results and tangents.

    There is a tangent for each inexact result, after all results.
    """

    __slots__ = ("body", "mask")

    def __init__(self, body: Any, mask: tuple[bool, ...]) -> None:
        self.body, self.mask = body, mask

    def __call__(self, *args: Any) -> list[Any]:
        n = len(self.mask)
        tangents = iter(args[n:])
        trace = JvpTrace("jvp")
        with trace:
            outs = self.body(
                *[trace.tracer(raw(x), raw(next(tangents))) if m else x for x, m in zip(args, self.mask, strict=False)]
            )
            values, found = [], []
            for o in outs:
                own = trace.own(o)
                values.append(wrap(o._value) if own else wrap(o))
                if own:
                    found.append(wrap(o._tangent))
                elif is_inexact(o.dtype):
                    found.append(wrap(np.zeros(o.shape, o.dtype)))
        return values + found

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        outs = self.body.kinds(kinds[: len(self.mask)])
        return [*outs, *[k for k in outs if is_inexact(k.dtype)]]


class PullbackBody:
    """Reverse mode of a body: from its arguments and a cotangent for each inexact result to those of the marked."""

    __slots__ = ("body", "mask")

    def __init__(self, body: Any, mask: tuple[bool, ...]) -> None:
        self.body, self.mask = body, mask

    def __call__(self, *args: Any) -> list[Any]:
        n = len(self.mask)
        chosen = [raw(x) for x, m in zip(args, self.mask, strict=False) if m]

        def f(*xs: Any) -> tuple:
            ys = iter(xs)
            return tuple(self.body(*[next(ys) if m else x for x, m in zip(args, self.mask, strict=False)]))

        _, pullback, _ = record(f, chosen, tree.structure(tuple(chosen)), False, "vjp")
        cotangents: dict[Equation, Any] = {}
        given = iter(args[n:])
        for e, kind in pullback.outputs:
            if is_inexact(kind.dtype):
                g = raw(next(given))
                if e is not None:
                    cotangents[e] = cotangents[e] + g if e in cotangents else g
        return [wrap(g) for g in pullback.pull(cotangents, release=True)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [k for k, m in zip(kinds, self.mask, strict=False) if m]


class Batched:
    """A body on batches: the marked arguments, and all results, have the batch dimension in front."""

    __slots__ = ("axis_name", "body", "mask", "size")

    def __init__(self, body: Any, mask: tuple[bool, ...], size: int, axis_name: Any) -> None:
        self.body, self.mask, self.size, self.axis_name = body, mask, size, axis_name

    def __call__(self, *args: Any) -> list[Any]:
        trace = BatchTrace("vmap", self.size, self.axis_name)
        with trace:
            outs = self.body(*[trace.tracer(raw(x)) if m else x for x, m in zip(args, self.mask, strict=True)])
            return [trace.out(o) for o in outs]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        one = [ShapeDtypeStruct(k.shape[1:], k.dtype) if m else k for k, m in zip(kinds, self.mask, strict=True)]
        return [ShapeDtypeStruct((self.size, *k.shape), k.dtype) for k in self.body.kinds(one)]


# Closing a function: its program as a tape, with the tracers that it closed over as further inputs.


class ClosingTracer(SymbolicTracer):
    """A value on the way to a tape. Decisions may look at it if the arguments of the function are known."""

    __slots__ = ()
    _trace: ClosingTrace

    def _leave(self, action: str) -> Any:
        return super()._concrete(action)

    def _concrete(self, action: str) -> Any:
        self._check_alive()
        value = self._trace.value_of(self._eqn)
        return super()._concrete(action) if value is None else value


class ClosingTrace(SymbolicTrace):
    """Writes a function down like make_tape. Where a decision asks for a number, what leads to it is computed."""

    __slots__ = ()
    values: dict[Equation, Any]  # raw values that have been computed, those of the inputs to begin with

    def tracer(self, kind: ShapeDtypeStruct, eqn: Any) -> ClosingTracer:
        t = ClosingTracer()
        t._trace, t._value, t._eqn = self, kind, eqn
        return t

    def value_of(self, e: Equation) -> Any:
        """The raw value of an equation, or None if it cannot be known."""
        values, pending = self.values, [e]
        while pending:
            top = pending[-1]
            if top in values:
                pending.pop()
                continue
            if top.plan is None:
                return None
            missing = [i for i in top.inputs if type(i) is Equation and i not in values]
            if missing:
                pending += missing
                continue
            args = [values[i] if type(i) is Equation else known(i) for i in top.inputs]
            if any(a is None for a in args):
                return None
            found = top.primitive(*args, **top.params)
            values[top] = [raw(o) for o in found] if isinstance(found, list | tuple) else raw(found)
            pending.pop()
        return values[e]


def close(f: Callable, args: Sequence[Any], name: str, decides: bool = True) -> tuple[TapeBody, list[Any], Any]:
    """The body that a function is, for arguments like these.

    Arguments:
        f: a function of flat arguments that returns a pytree.
        args: Arrays and tracers.
        name: of the transform, for messages.
        decides: whether f may look at the values of these arguments, which is right if the body will be run on none
            but these.

    Returns:
        `(body, constants, out_tree)`: a body that takes the constants before the arguments, the tracers that f closed
        over, and the structure of what f returns.

    Raises:
        NoValueError: f asks for a number that is not known.
    """
    trace = ClosingTrace(name)
    trace.values = {}
    with trace:
        tracers = [trace.input(ShapeDtypeStruct(a.shape, a.dtype)) for a in args]
        for t, a in zip(tracers, args, strict=True):
            value = known(a) if decides else None
            if value is not None:
                trace.values[t._eqn] = value
        outs, out_tree = output_values(f(*tracers), name)
        results = [o._eqn if trace.own(o) else constant(o) for o in outs]
        trace.values = {}
    inputs = [t._eqn for t in tracers]
    tape = Tape(inputs, results, None, out_tree, symbolic=True, effects=trace.effects)
    hoisted: dict[int, tuple[Any, Equation]] = {}

    def lifted(x: Any) -> Any:
        """A tracer that f closed over, as an input of the tape."""
        if not isinstance(x, Tracer):
            return x
        if id(x) not in hoisted:
            hoisted[id(x)] = x, equation(0, None, (), {}, (), x.shape, x.dtype)
        return hoisted[id(x)][1]

    for e in tape.equations:
        e.inputs = tuple([lifted(i) for i in e.inputs])
    results = [lifted(o) for o in results]
    inputs = [e for _, e in hoisted.values()] + inputs
    body = TapeBody(Tape(inputs, results, None, out_tree, symbolic=True, effects=trace.effects))
    return body, [x for x, _ in hoisted.values()], out_tree


def call_closed(
    make: Callable[[TapeBody, str], Call],
    fun: Callable,
    args: tuple,
    kwargs: dict,
    name: str,
    static: Sequence[int] = (),
) -> Any:
    """The result of a function of pytrees that passes through transforms as a call.

    Arguments:
        make: the call, from the body and a name.
        fun, args, kwargs: the function, and its arguments.
        name: of the transform.
        static: positions of arguments that are no arrays.
    """
    held = {n % len(args) for n in static if -len(args) <= n < len(args)}
    places = [i for i in range(len(args)) if i not in held]
    given, names = (*[args[i] for i in places], *kwargs.values()), (*places, *kwargs)
    values, in_tree = input_values(given, name, names)
    leaves = [wrap(v) for v in values]

    def flat(*xs: Any) -> Any:
        rest = in_tree.unflatten(xs)
        full = list(args)
        for i, x in zip(places, rest, strict=False):
            full[i] = x
        return fun(*full, **dict(zip(kwargs, rest[len(places) :], strict=True)))

    body, constants, out_tree = close(flat, leaves, name)
    call = make(body, f"{name}[{getattr(fun, '__name__', 'function')}]")
    return out_tree.unflatten(call(*constants, *leaves))


class RecordedPullback:
    """The pullback of a call whose results were recorded in a level of its own.

    Arguments:
        pullback: of some results.
        positions: which of the results of the call these are.
    """

    __slots__ = ("positions", "pullback")

    def __init__(self, pullback: Pullback, positions: Sequence[int]) -> None:
        self.pullback, self.positions = pullback, positions

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        seeds: dict[Equation, Any] = {}
        for i, (e, _) in zip(self.positions, self.pullback.outputs, strict=True):
            g = cotangents[i]
            if e is not None and g is not None:
                seeds[e] = seeds[e] + g if e in seeds else g
        return self.pullback.pull(seeds)


tree.register_pytree_node(
    RecordedPullback,
    lambda p: ((p.pullback,), p.positions),
    lambda positions, children: RecordedPullback(children[0], positions),
)
