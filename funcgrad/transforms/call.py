"""Operations that hold functions: how checkpoints, control flow, custom rules and callbacks pass through transforms.

A primitive has a record with a rule for each transform. An operation that is made around a function of the user has
none; it is a `Call`, and each trace that meets it asks the call itself:

    evaluate(*xs)          no transform is left: compute;
    jvp(primals, tangents)     results, and their tangents;
    vjp(primals, mask)         results, and a pullback, a pytree whose leaves the tape keeps;
    batch(trace, args, mask)   results, and which of them carry the batch dimension;
    kinds(kinds)               shapes and dtypes of the results.

What a call computes is its *body* (transforms/bodies.py): a function from a flat list of arrays to a flat list of
arrays that closes over no tracer, for values that a closure carried in have been made operands (transforms/closing.py).
A body can be run at any level, so the general answers are the same call with a derived body: its pushforward, its
pullback, its batched form. In the backward pass the body is run again from its operands, which are all that was kept.
Subclasses override what they know better.

Operands and results of a call are Arrays and tracers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.trace import Tracer, bind_call, observer, zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward, TapeBody
from funcgrad.transforms.make_tape import recording
from funcgrad.transforms.vmap import BatchTrace


class Call:
    """An operation whose rules follow from its body.

    Arguments:
        body: a function of flat arrays that gives a list of them. It has a method `kinds` that gives the shapes and
            dtypes of its results from those of its arguments, unless `for_tape` makes a tape of it.
        name: what it is called on tapes and in messages.
    """

    __slots__ = ("body", "name")
    multiple = True
    transparent = False  # whether the policy of a checkpoint is asked about what is inside
    opens = False  # whether it is nothing but its body where values are known
    repeatable = True  # whether a checkpoint may run it twice
    host = False  # whether its body is a function of the host, into which nobody looks

    def __init__(self, body: Any, name: str) -> None:
        self.body, self.name = body, name

    def derived(self, body: Any) -> Call:
        """The same kind of call of another body."""
        return Call(body, self.name)

    @property
    def effect(self) -> bool:
        """Whether it does something beside computing, such as printing, so that it must stay on a tape."""
        return isinstance(self.body, TapeBody) and bool(self.body.tape.effects)

    @property
    def recorded(self) -> bool:
        """Whether it runs with the recorded program, never while that is recorded, even if all operands are known."""
        return self.effect

    def __call__(self, *args: Any) -> list[Any]:
        trace = recording() if self.recorded else None
        if trace is not None and all(trace.level > a._trace.level for a in map(wrap, args)):
            return trace.process_call(self, tuple(map(wrap, args)))  # it belongs to the program, whoever its operands
        return bind_call(self, args)

    def evaluate(self, *args: Any) -> list[Any]:
        return [wrap(o) for o in self.body(*args)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.body.kinds(kinds)

    def for_tape(self, args: tuple) -> tuple[Call, tuple]:
        """The call as a tape holds it, and its operands there: without the user's own function where possible."""
        return self, args

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
    """The pullback of a call: it keeps operands, and runs the body again with its derivative.

    Arguments:
        call: of the pullback of the body, which takes the operands and a cotangent for each inexact result.
        kinds: of the results.
        primals: the operands.
    """

    __slots__ = ("call", "kinds", "primals")

    def __init__(self, call: Call, kinds: list[ShapeDtypeStruct], primals: Sequence[Any]) -> None:
        self.call, self.kinds, self.primals = call, kinds, tuple(primals)

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        args = (*self.primals, *present(cotangents, self.kinds))
        known = observer.get() is None and not any(isinstance(x, Tracer) for x in args)
        if known and type(self.call).evaluate is Call.evaluate:
            return self.call.body(*map(wrap, args))  # at once, for nested calls pull back from within each other
        return self.call(*args)


tree.register_pytree_node(
    Rerun, lambda r: (r.primals, (r.call, r.kinds)), lambda aux, primals: Rerun(aux[0], aux[1], primals)
)


def present(cotangents: Sequence[Any], kinds: Sequence[ShapeDtypeStruct]) -> list[Any]:
    """A cotangent for each inexact result, zeros where none arrived."""
    return [
        zeros(k.shape, k.dtype) if g is None else g
        for g, k in zip(cotangents, kinds, strict=True)
        if is_inexact(k.dtype)
    ]
