"""Bodies: what a call computes, as functions of flat lists of arrays; and those derived from another.

A body takes arrays one by one, gives a list of them, and closes over no tracer, so it can be run at any level. Its
method `kinds` gives shapes and dtypes of the results from those of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, raw, wrap
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import Tracer, observer, zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.transforms.arguments import output_values
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.make_tape import SymbolicTrace
from funcgrad.transforms.vjp import Pullback, record
from funcgrad.transforms.vmap import BatchTrace


class TapeBody:
    """The body that a tape is.

    Attributes:
        tape: the program.
        nested: whether it has calls that are nothing but their tapes where values are known.
    """

    __slots__ = ("nested", "tape")

    def __init__(self, tape: Tape) -> None:
        self.tape, self.nested = tape, any(_opens(e) for e in tape.equations)

    def __call__(self, *args: Any) -> list[Any]:
        if not self.nested or observer.get() is not None or any(isinstance(x, Tracer) for x in args):
            return self.tape.run(args)
        return _run_nested(self.tape, args)

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [ShapeDtypeStruct(o.shape, o.dtype) for o in self.tape.outputs]


def _opens(e: Equation) -> bool:
    return getattr(e.primitive, "opens", False) and type(e.primitive.body) is TapeBody and not e.primitive.effect


def _run_nested(tape: Tape, args: Sequence[Any]) -> list[Any]:
    """`tape.run(args)` on known values. The tapes of calls are run here, however deep they are nested."""
    outside: list[tuple] = []  # what is left of the tapes around this one
    steps, env = zip(tape.equations, tape.last_uses(), strict=True), dict(zip(tape.inputs, args, strict=True))
    while True:
        for e, dead in steps:
            operands = [env[i] if type(i) is Equation else i for i in e.inputs]
            if _opens(e):
                outside.append((tape, steps, env, e, dead))
                tape = e.primitive.body.tape
                steps = zip(tape.equations, tape.last_uses(), strict=True)
                env = dict(zip(tape.inputs, map(wrap, operands), strict=True))
                break
            env[e] = e.primitive(*operands, **e.params)
            for i in dead:
                del env[i]
        else:
            outs = [env[o] if type(o) is Equation else wrap(o) for o in tape.outputs]
            if not outside:
                return outs
            tape, steps, env, e, dead = outside.pop()
            env[e] = outs
            for i in dead:
                del env[i]


def tapes(body: Any) -> Iterator[Tape]:
    """The tapes that a body is made of, and those in their equations."""
    if isinstance(body, TapeBody):
        yield body.tape
        for e in body.tape.equations:
            yield from tapes(getattr(e.primitive, "body", None))
    for part in parts(body):
        yield from tapes(part)


def parts(body: Any) -> list[Any]:
    """The bodies that a body is made of."""
    return list(body.parts.values()) if hasattr(body, "parts") else [body.body] if hasattr(body, "body") else []


def calls_host(primitive: Any) -> bool:
    """Whether an operation is a function of the host, or holds one somewhere inside."""
    if getattr(primitive, "host", False):
        return True
    body = getattr(primitive, "body", None)
    return any(getattr(e.primitive, "host", False) for tape in tapes(body) for e in tape.equations)


class FunctionBody:
    """A body that calls the user's function itself.

    Arguments:
        f: a function of pytrees.
        in_tree: the structure of the tuple of its arguments.
        name: of the transform, for messages.

    Attributes:
        out_tree, out_kinds: structure, shapes and dtypes of what f returned when it last ran; None before.
    """

    __slots__ = ("f", "in_tree", "name", "out_kinds", "out_tree")

    def __init__(self, f: Callable, in_tree: Any, name: str) -> None:
        self.f, self.in_tree, self.name = f, in_tree, name
        self.out_tree: Any = None
        self.out_kinds: list[ShapeDtypeStruct] | None = None

    def __call__(self, *args: Any) -> list[Any]:
        outs, self.out_tree = output_values(self.called(args), self.name)
        self.out_kinds = [ShapeDtypeStruct(o.shape, o.dtype) for o in outs]
        return outs

    def called(self, args: Sequence[Any]) -> Any:
        """What f returns for these leaves of its arguments."""
        return self.f(*self.in_tree.unflatten(args))

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
                    found.append(wrap(zeros(o.shape, o.dtype)))
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
        outs, pullback = with_pullback(self.body, args[:n], self.mask, "vjp")
        given = iter(args[n:])
        cotangents = [next(given) if is_inexact(o.dtype) else None for o in outs]
        return [wrap(g) for g in pulled(pullback, cotangents, release=True)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [k for k, m in zip(kinds, self.mask, strict=False) if m]


def with_pullback(body: Any, args: Sequence[Any], mask: Sequence[bool], name: str) -> tuple[list[Any], Pullback]:
    """The results of a body, and their pullback to the arguments that mask marks.

    Arguments:
        body, args: the body and its arguments.
        mask: which arguments are differentiated.
        name: of the transform, for messages.
    """
    chosen = [raw(x) for x, m in zip(args, mask, strict=True) if m]

    def f(*xs: Any) -> tuple:
        moving = iter(xs)
        return tuple(body(*[next(moving) if m else x for x, m in zip(args, mask, strict=True)]))

    outs, pullback, _ = record(f, chosen, tree.structure(tuple(chosen)), False, name)
    return list(outs), pullback


def pulled(pullback: Pullback, cotangents: Sequence[Any], release: bool = False) -> list[Any]:
    """The raw cotangents of the arguments that were differentiated.

    Arguments:
        pullback: as `with_pullback` gives it.
        cotangents: of all results; None where there is none.
        release: whether the residuals may be given up on the way.
    """
    seeds: dict[Equation, Any] = {}
    for (e, _), g in zip(pullback.outputs, cotangents, strict=True):
        if e is not None and g is not None:
            seeds[e] = seeds[e] + raw(g) if e in seeds else raw(g)
    return pullback.pull(seeds, release)


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
