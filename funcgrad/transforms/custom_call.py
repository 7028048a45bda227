"""The call of a function with derivative rules of its user, and what the function may close over.

The rules stand for the whole derivative, so they can't speak for values that the function closes over. A result that
depends on a value that is being differentiated in any other way than through the arguments is an error.

It is different with the values of a vmap. A rule that holds for each example holds for the batch, so a function and its
rules may close over batched values of a vmap in which they run, and everything is on batches then. Nobody can tell from
outside whether they do. So each vmap in which such a call is made gets to handle it, from the innermost to the
outermost, whether an operand is batched or not: it runs the function within its own trace, in which the values that
were closed over are at home, and looks whether the results are batched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from funcgrad.core.array import raw, wrap
from funcgrad.core.trace import Trace, Tracer, bind_call
from funcgrad.errors import ClosureError
from funcgrad.transforms.bodies import TapeBody
from funcgrad.transforms.call import Call
from funcgrad.transforms.closing import close
from funcgrad.transforms.make_tape import SymbolicTrace
from funcgrad.transforms.vmap import BatchTrace


class CustomCall(Call):
    """The call of a function that has a derivative rule.

    Arguments:
        body, name: as for a Call.
        rule: on flat lists; subclasses say what it takes and gives.
        within: the innermost of the running traces that have not handled the call yet.
    """

    __slots__ = ("rule", "within")
    transform: str

    def __init__(self, body: Any, name: str, rule: Any, within: Trace | None = None) -> None:
        super().__init__(body, name)
        self.rule, self.within = rule, within

    def __call__(self, *args: Any) -> list[Any]:
        operands = [wrap(a) for a in args]
        level = max([a._trace.level for a in operands], default=0)
        trace = self.within
        while trace is not None and trace.level > level:
            if isinstance(trace, BatchTrace):
                outs, batched = self.batch(trace, operands, (False,) * len(operands))
                return [trace.tracer(raw(o)) if b else o for o, b in zip(outs, batched, strict=True)]
            trace = trace.outer
        return bind_call(self, tuple(operands)) if level >= 1 else self.evaluate(*operands)  # numbers stay weak

    def evaluate(self, *args: Any) -> list[Any]:
        outs = self.closed(super().evaluate(*args), args)
        if any(isinstance(t, SymbolicTrace) for t in traces_in(outs) - traces_in(args)):
            call, operands = self.for_tape(args)  # what it closed over is being written down, so it is, too
            if traces_in([wrap(a) for a in operands]):  # and not just a call of the host on numbers, which always is
                return call(*operands)
        return outs

    def batch(self, trace: BatchTrace, args: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Sequence[bool]]:
        examples = Examples(trace, mask)
        call = type(self)(BatchedFunction(self.body, examples), self.name, self.batched(examples), trace.outer)
        outs = call(*args)
        return outs, examples.results

    def batched(self, examples: Examples) -> Any:
        """The rule on batches."""
        raise TypeError(f"{type(self).__name__} must define batched")

    def for_tape(self, args: tuple) -> tuple[Call, tuple]:
        if isinstance(self.body, TapeBody):
            return self, args
        body, constants, _ = close(self.body, args, self.name)
        self.closed(constants, args)
        call = type(self)(body, self.name, self.behind(len(constants)) if constants else self.rule)
        return call, (*constants, *args)

    def behind(self, count: int) -> Any:
        """The rule of a function that has so many constants as its first operands."""
        raise TypeError(f"{type(self).__name__} must define behind")

    def closed(self, outs: list[Any], args: Sequence[Any]) -> list[Any]:
        """The results of the function, or of its rule, for these arguments.

        Raises:
            ClosureError: a result is being differentiated by a transform that differentiates none of the arguments.
        """
        if any(t.differentiates for t in traces_in(outs) - traces_in(args)):
            raise self.closes_over()
        return outs

    def closes_over(self) -> ClosureError:
        return ClosureError(
            f"detected differentiation of the {self.transform} function {self.name} with respect to a value that it "
            f"closes over. Its derivative rule speaks for its arguments only: pass the value as an argument, or cut it "
            f"off with stop_gradient"
        )


def traces_in(values: Sequence[Any]) -> set[Trace]:
    """The traces that these values are tracers of, at any depth."""
    found = set()
    for x in values:
        while isinstance(x, Tracer):
            found.add(x._trace)
            x = x._value
    return found


class Examples:
    """How functions of one example are run on batches.

    Arguments:
        trace: of the vmap.
        mask: which operands are batches.

    Attributes:
        results: which results are batches, as the last run found.
    """

    __slots__ = ("mask", "results", "trace")

    def __init__(self, trace: BatchTrace, mask: Sequence[bool]) -> None:
        self.trace, self.mask = trace, tuple(mask)
        self.results: tuple[bool, ...] = ()

    def running(self) -> Any:
        """The trace of the vmap, while that runs, for its values that a function may close over; later one like it."""
        trace = self.trace
        return trace.again() if isinstance(trace, BatchTrace) else BatchTrace("vmap", trace.size, trace.axis_name)

    def into(self, trace: BatchTrace, xs: Sequence[Any]) -> list[Any]:
        """Operands, or what belongs to them, as they are for one example."""
        return [trace.tracer(raw(x)) if m and x is not None else x for x, m in zip(xs, self.mask, strict=True)]

    def out(self, trace: BatchTrace, outs: Sequence[Any], *others: Sequence[Any]) -> list[list[Any]]:
        """Results, and what else belongs to each of them, as batches if one of these is."""
        rows = list(zip(outs, *others, strict=True))
        self.results = tuple([any(trace.own(x) for x in row) for row in rows])
        found = [
            [x if x is None else trace.out(x) if b else wrap(x) for x in row]
            for row, b in zip(rows, self.results, strict=True)
        ]
        return [list(column) for column in zip(*found, strict=True)] if found else [[] for _ in (outs, *others)]


class BatchedFunction:
    """A body on batches, which may close over values of the batch. It says afterwards which results are batches."""

    __slots__ = ("body", "examples")

    def __init__(self, body: Any, examples: Examples) -> None:
        self.body, self.examples = body, examples

    def __call__(self, *args: Any) -> list[Any]:
        with self.examples.running() as trace:
            (outs,) = self.examples.out(trace, self.body(*self.examples.into(trace, args)))
        return outs
