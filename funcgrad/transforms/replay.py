"""Replaying a tape in the backward pass, from its inputs and from some results that were kept.

What was kept is not computed again, nor what only it was computed from, as far as no derivative rule asks for the
value. So this is found out first, from the last equation to the first: which values are asked for, which of these are
computed again, and which inputs and kept results they start from. Only those have to be kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from funcgrad.core.array import Array, is_inexact, raw, wrap
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape, reachable
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.errors import CallbackError
from funcgrad.ops import structural
from funcgrad.transforms.vjp import VjpTrace, pulled


class Replay:
    """The body that pulls back through a tape.

    It takes the inputs that are asked for, the kept results, and a cotangent for each inexact output.

    Arguments:
        tape: of the function.
        mask: which of its inputs are differentiated.
        policy: asked about each operation with one result, `policy(primitive, *kinds, **params)`: whether the result
            may be kept. None if no result may.

    Attributes:
        inputs: the numbers of the inputs that are asked for.
        saved: the equations whose results are to be kept.
    """

    __slots__ = ("computed", "given", "inputs", "linked", "mask", "policy", "saved", "tape")

    def __init__(self, tape: Tape, mask: tuple[bool, ...], policy: Callable[..., bool] | None) -> None:
        self.tape, self.mask, self.policy = tape, mask, policy
        self.linked = self._linked()
        self.given = self._saveable()
        needed, self.computed = self._needed()
        self.inputs = [k for k, e in enumerate(tape.inputs) if e in needed]
        read = {self.given[e] for e in needed if e in self.given}
        self.saved = [e for e in tape.equations if e in read]

    def _linked(self) -> set[Equation]:
        """The equations that cotangents go through."""
        linked = {e for e, m in zip(self.tape.inputs, self.mask, strict=True) if m}
        for e in self.tape.equations:
            mask = _mask(e, linked)
            if not any(mask):
                continue
            if isinstance(e.primitive, Primitive):
                if e.primitive.plans[mask] is not None:
                    linked.add(e)
            elif is_inexact(e.dtype) if e.picks is not None else any(map(is_inexact, e.dtype)):
                linked.add(e)
        return linked

    def _saveable(self) -> dict[Equation, Equation]:
        """By equation, the one whose result is kept in place of its own: itself, or the name that was given to it."""
        given: dict[Equation, Equation] = {}
        if self.policy is None:
            return given
        for e in self.tape.equations:
            if _simple(e) and self._may_keep(e):
                given[e] = e
                if e.primitive is structural.name and type(e.inputs[0]) is Equation and e.inputs[0].plan is not None:
                    given[e.inputs[0]] = e
        return given

    def _may_keep(self, e: Equation) -> bool:
        """What the policy says of an equation."""
        if self.policy is None:
            return False
        kinds = [ShapeDtypeStruct(shape_of(i), dtype_of(i)) for i in e.inputs]
        return bool(self.policy(e.primitive, *kinds, **e.params))

    def _needed(self) -> tuple[set[Equation], set[Equation]]:
        """The equations and inputs whose values are asked for, and the equations that are computed again."""
        needed: set[Equation] = set()
        computed: set[Equation] = set()
        for e in reversed(self.tape.equations):
            operands = [i for i in e.inputs if type(i) is Equation]
            if _simple(e):
                if e in self.linked:
                    plan = e.primitive.plans[_mask(e, self.linked)]
                    needed |= {e.inputs[k] for k in plan.kept if type(e.inputs[k]) is Equation}
                    if "out" in plan.names:
                        needed.add(e)
                compute = e in needed and e not in self.given
            elif e.picks is not None:
                compute = e.inputs[0] in self.linked or (e in needed and e not in self.given)
            else:
                compute = e in self.linked or e in needed or self._acts_again(e)
                if compute and not getattr(e.primitive, "repeatable", True):
                    raise CallbackError(
                        f"Effects not supported in `checkpoint`: it would run the callback {e.primitive.name}, which "
                        f"has side effects, once more in the backward pass. Call it outside"
                    )
            if compute:
                computed.add(e)
                needed.update(operands)
        return needed, computed

    def _acts_again(self, e: Equation) -> bool:
        """Whether a side effect is repeated when its operands are recomputed."""
        if not getattr(e.primitive, "effect", False):
            return False
        return not self._may_keep(e) or not any(type(i) is Equation and i in self.given for i in e.inputs)

    def __call__(self, *args: Any) -> list[Any]:
        n, m = len(self.inputs), len(self.inputs) + len(self.saved)
        trace = VjpTrace("checkpoint")
        with trace:
            starts, outs = self._record(trace, args[:n], args[n:m])
        equations = reachable([t._eqn for t in outs if t is not None])
        seeds: dict[Equation, Any] = {}
        inexact = [t for t, o in zip(outs, self.tape.outputs, strict=True) if is_inexact(o.dtype)]
        for t, g in zip(inexact, args[m:], strict=True):
            if t is not None:
                seeds[t._eqn] = seeds[t._eqn] + raw(g) if t._eqn in seeds else raw(g)
        return [wrap(g) for g in pulled(equations, [t._eqn for t in starts], seeds, True)]

    def _record(self, trace: VjpTrace, inputs: Sequence[Any], kept: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Run the tape, as far as needed, on tracers; gives those of the differentiated inputs, and of the outputs.

        For a value that nobody asks for, its shape and dtype stand in; for several, nothing.
        """
        known = {self.tape.inputs[k]: raw(x) for k, x in zip(self.inputs, inputs, strict=True)}
        known |= {e: raw(x) for e, x in zip(self.saved, kept, strict=True)}

        def value(e: Equation) -> Any:
            found = known.get(self.given.get(e, e))
            if found is None and type(e.dtype) is not tuple:
                return ShapeDtypeStruct(e.shape, e.dtype)
            return found

        def apply(e: Equation, operands: list[Any]) -> Any:
            if e in self.computed:
                return e.primitive(*operands, **e.params)
            return trace.general(e.primitive, tuple(operands), e.params, value(e)) if e in self.linked else value(e)

        tracers = [trace.input(value(e)) if m else value(e) for e, m in zip(self.tape.inputs, self.mask, strict=True)]
        outs = self.tape.run(tracers, apply)
        starts = [t for t, m in zip(tracers, self.mask, strict=True) if m]
        return starts, [t if isinstance(t, Array) and trace.own(t) else None for t in outs]


def _simple(e: Equation) -> bool:
    """Whether an equation is a primitive with one result."""
    return isinstance(e.primitive, Primitive) and not e.primitive.multiple


def _mask(e: Equation, linked: set[Equation]) -> tuple[bool, ...]:
    """Which operands of an equation cotangents go to."""
    return tuple([type(i) is Equation and i in linked for i in e.inputs])
