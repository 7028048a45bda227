"""What the operations of control flow have in common: how they run, and how they pass through transforms.

Where the values that decide are known, control flow is Python's own: `cond` calls the branch that was chosen, and a
loop is a loop, on whatever tracers there are. Each operation inside is differentiated and batched by itself.

Where they are not, because make_tape records or because the examples of a batch differ, the functions are closed to
tapes, and the operation is a `ControlFlow`: one equation that holds them. It is a Call like others, so its derivatives
are the pushforward and the pullback of its body. vmap is special. A decision that differs between the examples of a
batch cannot be taken for one example, so a body says itself what it is on batches (`batched`), and there it decides for
all: whether any example takes the branch, whether any goes on. On batches a derived body is the derived body of that.
A body may know better derivatives than those, too: a scan's are scans (`jvp`, `vjp`), those of a choice are choices.

Note [what idle examples compute]. While some examples work, the others compute as well, and where they would do it the
program may never have gone: to the logarithm of a negative number, or to the square root of 0, whose infinite slope
times a cotangent of 0 is nan. So an idle example computes what some working example does, from the same values, cut off
from derivatives, and the result is thrown away. Nothing is evaluated where the program would not evaluate it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import Any

import funcgrad.numpy as fnp
from funcgrad.core.array import raw, wrap
from funcgrad.core.tape import Equation
from funcgrad.core.trace import bind_call, known
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.errors import CallbackError, NotDifferentiableError
from funcgrad.ops import structural
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward, TapeBody, tapes
from funcgrad.transforms.call import Call
from funcgrad.transforms.make_tape import SymbolicTrace
from funcgrad.transforms.vmap import BatchTrace


class ControlFlow(Call):
    """An operation of control flow, held as one equation where values are not known.

    Arguments:
        body: as for a Call.
        name: cond, while_loop, scan, …
    """

    __slots__ = ()

    def derived(self, body: Any) -> Call:
        return ControlFlow(body, self.name)

    @property
    def effect(self) -> bool:
        return any(tape.effects for tape in tapes(self.body))

    @property
    def repeatable(self) -> bool:  # type: ignore[override]  # a plain attribute of other calls
        return all(getattr(e.primitive, "repeatable", True) for tape in tapes(self.body) for e in tape.equations)

    def __call__(self, *args: Any) -> list[Any]:
        for x in args:
            if known(x) is None:
                return bind_call(self, args)
        return self.evaluate(*args)

    def evaluate(self, *args: Any) -> list[Any]:
        """Run the body on tracers, if what decides is known; the trace that would look inside keeps it if not."""
        for x in deciding(self.body, args):
            if known(x) is None:
                return self._whole(args)
        return super().evaluate(*args)

    def _whole(self, args: tuple) -> list[Any]:
        trace = max([x._trace for x in args], key=lambda trace: trace.level)
        if isinstance(trace, SymbolicTrace):
            return SymbolicTrace.process_call(trace, self, args)
        if isinstance(trace, BatchTrace):
            return BatchTrace.process_call(trace, self, args)
        raise NotDifferentiableError(
            f"linear_transpose cannot look into {self.name}, for the values that decide what it does are not known"
        )

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        body, needed = batched(self.body, mask, trace)
        operands = [
            fnp.broadcast_to(x, (trace.size, *x.shape)) if n and not m else x
            for x, m, n in zip(args, mask, needed, strict=True)
        ]
        outs = (body if getattr(body, "composed", False) else self.derived(body))(*operands)
        return outs, (True,) * len(outs)

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        if hasattr(self.body, "jvp"):
            return self.body.jvp(self.name, primals, tangents)
        return super().jvp(primals, tangents)

    def vjp(self, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        if hasattr(self.body, "vjp"):
            return self.body.vjp(self.name, primals, mask)
        if not self.repeatable:
            raise CallbackError(
                f"Effects not supported in the reverse mode of {self.name}: it would run a callback inside, which has "
                f"side effects, once more in the backward pass. Call it outside, or make the number of steps known"
            )
        return super().vjp(primals, mask)


def deciding(body: Any, args: Sequence[Any]) -> Sequence[Any]:
    """The arguments of a body on whose values it depends what is done."""
    while isinstance(body, (Pushforward, PullbackBody)):
        args, body = args[: len(body.mask)], body.body
    return body.deciding(args) if hasattr(body, "deciding") else args


# Bodies on batches.


def batched(body: Any, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
    """A body on batches, and which of its arguments it takes as batches, those that mask marks among them.

    All results are batches.
    """
    if isinstance(body, Pushforward):
        tangents = iter(mask[len(body.mask) :])
        moving = [next(tangents) if moves else False for moves in body.mask]
        inner, needed = batched(body.body, [m or t for m, t in zip(mask, moving, strict=False)], trace)
        of_tangents = [n for n, moves in zip(needed, body.mask, strict=True) if moves]
        return Pushforward(inner, body.mask), [*needed, *of_tangents]
    if isinstance(body, PullbackBody):
        inner, needed = batched(body.body, [m or linked for m, linked in zip(mask, body.mask, strict=False)], trace)
        return PullbackBody(inner, body.mask), [*needed, *[True] * (len(mask) - len(needed))]
    if hasattr(body, "batched"):
        return body.batched(mask, trace)
    return Batched(body, tuple(mask), trace.size, trace.axis_name), mask


class PartlyBatched(Batched):
    """A body on batches of which some results are the same for all examples, and no batches.

    Arguments:
        results: for the first results whether they are batches; all further ones are.
    """

    __slots__ = ("results",)

    def __init__(self, body: Any, mask: Sequence[bool], results: Sequence[bool], trace: BatchTrace) -> None:
        super().__init__(body, tuple(mask), trace.size, trace.axis_name)
        self.results = tuple(results)

    def __call__(self, *args: Any) -> list[Any]:
        trace = BatchTrace("vmap", self.size, self.axis_name)
        with trace:
            outs = self.body(*[trace.tracer(raw(x)) if m else x for x, m in zip(args, self.mask, strict=True)])
            return [trace.out(o) if r else wrap(o) for o, r in zip(outs, self._flags(), strict=False)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        one = [ShapeDtypeStruct(k.shape[1:], k.dtype) if m else k for k, m in zip(kinds, self.mask, strict=True)]
        return [
            ShapeDtypeStruct((self.size, *k.shape), k.dtype) if r else k
            for k, r in zip(self.body.kinds(one), self._flags(), strict=False)
        ]

    def _flags(self) -> Iterable[bool]:
        return chain(self.results, repeat(True))


def carried(body: Any, mask: Sequence[bool], carry: slice) -> list[bool]:
    """Which arguments of the body of a loop are batches in the end, if those that mask marks are so at the start.

    Arguments:
        body: of the loop; its first results are the next carry.
        mask: over its arguments.
        carry: where the carry is among the arguments.
    """
    found = list(mask)
    while True:
        after = [a or b for a, b in zip(found[carry], depends(body, found), strict=False)]
        if after == found[carry]:
            return found
        found[carry] = after


def depends(body: Any, mask: Sequence[bool]) -> Iterable[bool]:
    """Which results of a body depend on the arguments that mask marks: on a tape one can see it."""
    while not isinstance(body, TapeBody):
        if not hasattr(body, "body"):
            return repeat(any(mask))
        body = body.body
    tape = body.tape
    marked = {e for e, m in zip(tape.inputs, mask, strict=True) if m}
    for e in tape.equations:
        if not marked.isdisjoint([i for i in e.inputs if type(i) is Equation]):
            marked.add(e)
    return [type(o) is Equation and o in marked for o in tape.outputs]


def has_collective(body: Any) -> bool:
    """Whether a body has collective operations, to which all examples of a batch contribute."""
    return any(hasattr(e.primitive, "axis_name") for tape in tapes(body) for e in tape.equations)


def on_working(works: Any, xs: Sequence[Any], mask: Sequence[bool], collective: bool) -> list[Any]:
    """Arguments on batches, those of idle examples replaced: see Note [what idle examples compute].

    Arguments:
        works: which examples do.
        xs, mask: the arguments, and which of them are batches.
        collective: whether idle examples contribute to what the others compute; then their values stay.
    """
    i = fnp.argmax(works)
    return [
        per_example(works, x, wrap(structural.stop(x if collective else wrap(x)[i]))) if m else x
        for x, m in zip(xs, mask, strict=True)
    ]


def per_example(condition: Any, x: Any, y: Any) -> Any:
    """`where` by a condition that has one value for each example of a batch."""
    return fnp.where(fnp.reshape(condition, (-1,) + (1,) * (x.ndim - 1)), x, y)
