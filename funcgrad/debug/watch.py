"""Observe operations, forward and backward, at no cost while nothing observes.

While there is a `Watch` in this context, every trace that runs is of an *observed* class, which looks at what each
operation gives, and every equation that vjp records has a *noted* plan, which knows where the operation was called and
looks at what its rule gives. Both classes are made of those that they stand in for. A trace asks once, when it starts,
whether there is a watch; no operation does.

Only the outermost operation is looked at. What its rules compute in between, in a branch that np.where discards for
instance, is nobody's concern as long as the result is good.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from funcgrad.core.array import Array, wrap
from funcgrad.core.locks import new_lock
from funcgrad.core.plan import Plan, twin_of
from funcgrad.core.primitive import Primitive
from funcgrad.core.scope import Scope
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import EvalTrace, Trace, innermost, observer
from funcgrad.debug.nonfinite import Search, numbers
from funcgrad.debug.origins import PULLED, Origin, origin
from funcgrad.debug.report import remedy_for_derivative, remedy_for_input, remedy_for_value, report
from funcgrad.transforms.jvp import JvpTrace
from funcgrad.transforms.make_tape import SymbolicTracer
from funcgrad.transforms.vjp import VjpTracer
from funcgrad.transforms.walk import walk


class Watch:
    """What is looked for at this moment, and inside of what: the value of the context variable `observer`.

    Arguments:
        search: what is looked for.
        outer: what was the watch before a `with` block began this one.
        inside: the operation that is being carried out.
        relation: of what happens now to that operation, in words.
        quiet: whether that operation will be looked at as a whole, so that its parts need not be.
    """

    __slots__ = ("inside", "outer", "quiet", "relation", "search")

    def __init__(
        self,
        search: Search,
        outer: Watch | None = None,
        inside: Origin | None = None,
        relation: str = "",
        quiet: bool = False,
    ) -> None:
        self.search, self.outer, self.inside, self.relation, self.quiet = search, outer, inside, relation, quiet

    def adopt(self, trace: Trace) -> None:
        """Have a trace ask at each operation whether there is a watch; it does so until it ends."""
        if not isinstance(trace, Observed):
            kind: Any = type(trace)
            trace.__class__ = mixed(Observed, kind)

    def adopt_running(self) -> None:
        """Adopt the traces of all transforms that run in this context: we may be called inside of them."""
        trace = innermost()
        while trace is not None:
            self.adopt(trace)
            trace = trace.outer

    def operation(self, trace: Trace, primitive: Any, args: tuple, run: Callable, whole: bool = True) -> Any:
        """Carry out an operation, note where it comes from, and look at what it gives.

        Arguments:
            trace: what handles it.
            primitive, args: the operation and its operands.
            run: does it.
            whole: whether looking at the results is enough.
        """
        place = origin(primitive, self.inside, self.relation, Noted.pull.__code__)
        relation = "in the forward derivative of" if isinstance(trace, JvpTrace) else "in"
        said: set[str] | None
        with (
            _Looking(Watch(self.search, None, place, relation, self.quiet or whole)),
            nullcontext() if self.quiet else self.search.instead_of_warnings() as said,
        ):
            out = run()
        for o in out if isinstance(out, (tuple, list)) else (out,):
            if isinstance(o, VjpTracer):
                _note(o._eqn, self.search, place)
            elif isinstance(o, SymbolicTracer):
                _place(o._eqn, place)
        if said is not None:
            self._look_at_results(primitive, args, out, place, said)
        return out

    def _look_at_results(self, primitive: Any, args: tuple, out: Any, place: Origin, said: set[str]) -> None:
        found = self.search.first(numbers(("result", tuple(out) if isinstance(out, list) else out)))
        if found is None:
            return
        names = getattr(primitive, "operands", None) or range(len(args))
        operands = numbers(*[(f"operand {name}", a) for name, a in zip(names, args, strict=True)])
        order = found.numbers.order
        given = self.search.first([n for n in operands if n.order <= order])
        if given is not None:
            head = f"{given.kind} among the operands of {place}"
            others = [*[n for n in operands if n is not given.numbers], found.numbers]
            raise report(head, given, others, remedy_for_input(given), at=place)
        if order == 0:
            head, remedy = f"{found.kind} from {place}", remedy_for_value(primitive, found, operands, said)
        else:
            head = f"{found.kind} in the derivative of {place}"
            remedy = remedy_for_derivative(primitive, found, [n for n in operands if n.order], said)
        raise report(head, found, operands, remedy, primitive, place)

    def run(self, tape: Tape, values: Sequence[Any], apply: Callable | None = None) -> list[Any]:
        """Run a tape as `Tape.run` does; an operation comes from where it was recorded, if that was seen."""
        env: dict[Equation, Any] = {e: wrap(v) for e, v in zip(tape.inputs, values, strict=True)}
        for e in tape.equations:
            args = [env[i] if type(i) is Equation else i for i in e.inputs]
            place = None if e.plan is None else e.plan.place
            watch = self if place is None else Watch(self.search, None, place, self.relation, self.quiet)
            with _Looking(watch):
                env[e] = e.primitive(*args, **e.params) if apply is None else apply(e, args)
        return [env[o] if type(o) is Equation else wrap(o) for o in tape.outputs]

    def walk(self, equations: Sequence[Equation], cotangents: dict[Equation, Any], release: bool = False) -> None:
        """The backward walk, one equation at a time; after each we look at the cotangents of its operands.

        A noted plan looks at what its rule gives by itself. What is found here are sums that overflow, and the rules of
        equations that were recorded while nobody looked.
        """
        found = self.search.first(numbers(*[("cotangent of result", g) for g in cotangents.values()]))
        if found is not None:
            raise report(f"{found.kind} in the cotangent that a pullback was given", found, (), remedy_for_input(found))
        for e in equations:
            plan, g = e.plan, cotangents.get(e)
            with self.search.instead_of_warnings() as said:
                walk((e,), cotangents, release)
            if plan is None or g is None:
                continue
            found = self.search.first(numbers(*_of_operands(plan, [cotangents.get(i) for i in e.inputs])))
            if found is None:
                continue
            incoming = numbers(("cotangent of result", g))
            if plan.place is not None:
                head = f"{found.kind} from adding up cotangents, the last of them from the derivative of {plan.place}"
                remedy = "The terms are finite, their sum is not: scale the function down."
                raise report(head, found, incoming, remedy, at=plan.place)
            head = (
                f"{found.kind} in the derivative of `{plan.primitive.name}`, which was recorded before nans was on, so "
                f"its line is unknown: record it within, too"
            )
            remedy = remedy_for_derivative(plan.primitive, found, incoming, said)
            raise report(head, found, incoming, remedy, plan.primitive)


_watching: set[object] = set()
_lock = new_lock()


def watching(key: object, on: bool) -> None:
    """Record that a watch has begun in some context, under its own key, or has ended.

    While there is one, the trace of all plain Arrays is observed, too.
    """
    with _lock:
        if on:
            _watching.add(key)
        else:
            _watching.discard(key)
        Array._trace.__class__ = mixed(Observed, EvalTrace) if _watching else EvalTrace


class _Looking(Scope):
    """The block within which a watch observes."""

    __slots__ = ("before", "entered", "watch")

    def __init__(self, watch: Watch) -> None:
        self.watch, self.entered = watch, 0

    def __enter__(self) -> None:
        self.before = observer.get()
        self.entered = 1
        observer.set(self.watch)
        self.watch.adopt_running()
        watching(self, True)

    def leave(self, *error: object) -> None:
        observer.set(self.before)
        watching(self, False)
        self.entered = 0


class Observed(Trace):
    """Mixed into the class of a trace: operations are reported to the watch, if there is one in this context."""

    __slots__ = ()

    def process(self, primitive: Any, args: tuple, params: dict) -> Any:
        return self._watched(primitive, args, functools.partial(super().process, primitive, args, params))

    def unary(self, primitive: Any, x: Array, *params: Any) -> Any:
        return self._watched(primitive, (x,), functools.partial(super().unary, primitive, x, *params))

    def binary(self, primitive: Any, x: Any, y: Any) -> Any:
        return self._watched(primitive, (x, y), functools.partial(super().binary, primitive, x, y))

    def process_call(self, call: Any, args: tuple) -> list[Any]:
        return self._watched(call, args, functools.partial(super().process_call, call, args), whole=False)

    def _watched(self, primitive: Any, args: tuple, run: Callable, whole: bool = True) -> Any:
        watch = observer.get()
        return run() if watch is None else watch.operation(self, primitive, args, run, whole)


class Noted(Plan):
    """Mixed into the class of a plan: the rule looks at what it gives, and can say where its operation was called.

    Attributes:
        search: what to look for.
    """

    __slots__ = ()
    search: Search

    def pull(self, g: Any, kept: tuple) -> Any:
        search, place = self.search, self.place
        incoming = numbers(("cotangent of result", g))
        found = search.first(incoming)
        if found is not None:
            head = f"{found.kind} in the cotangent that arrives at {place}"
            raise report(head, found, (), remedy_for_input(found), at=place)
        # The rule of a primitive is looked at as a whole. That of a call may run code of the user, whose lines we want.
        watch = Watch(search, None, place, PULLED, quiet=isinstance(self.primitive, Primitive))
        with _Looking(watch), search.instead_of_warnings() as said:
            cts = super().pull(g, kept)
        found = search.first(numbers(*_of_operands(self, (cts,) if self.single else cts)))
        if found is not None:
            operands = numbers(*_kept(self, kept))
            given = search.first(operands)
            if given is None:
                remedy = remedy_for_derivative(self.primitive, found, incoming, said)
            else:
                remedy = remedy_for_input(given)
            head = f"{found.kind} in the derivative of {place}"
            raise report(head, found, [*incoming, *operands], remedy, self.primitive, place)
        return cts


def _place(e: Equation, place: Origin) -> None:
    """Say on an equation of a tape where it was recorded."""
    e = e.operation
    if e.plan is not None:
        e.plan = twin_of(e.plan)  # a trace may share it among equations
        e.plan.place = place


def _of_operands(plan: Plan, cotangents: Sequence[Any]) -> list[tuple[str, Any]]:
    """The cotangents of the linked operands, labelled."""
    return [(f"cotangent of {plan.operands[i]}", ct) for i, ct in zip(plan.linked, cotangents, strict=True)]


def _kept(plan: Plan, kept: tuple) -> list[tuple[str, Any]]:
    """The arrays among what an equation keeps, labelled. Those of a call have no names."""
    pairs = zip(plan.names, kept, strict=False)
    labels = {"out": "result", "xs": "operand"} | {x: f"operand {x}" for x in plan.operands}
    return [(labels[name], r) for name, r in pairs if name in labels]


def _note(e: Equation, search: Search, place: Origin) -> None:
    """Give an equation that was just recorded a plan that looks at its rule."""
    e = e.operation
    plan = e.plan
    if plan is None or plan.place is not None:
        return
    kind: Any = type(plan)
    noted = twin_of(plan, mixed(Noted, kind))
    noted.search, noted.place = search, place
    e.plan = noted


@functools.cache
def mixed(mixin: Any, cls: Any) -> Any:
    """The class `cls` with a mixin in front of it, and slots for what is noted if it is that of a plan."""
    slots = ("place", "search") if mixin is Noted else ()
    return type(mixin.__name__ + cls.__name__, (mixin, cls), {"__slots__": slots})
