"""The body of `while_loop`: a body that decides, and one that makes the next carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import funcgrad.numpy as fnp
from funcgrad.core.trace import known
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax.control_flow import (
    ControlFlow,
    PartlyBatched,
    carried,
    depends,
    has_collective,
    on_working,
    per_example,
)
from funcgrad.transforms.bodies import Batched
from funcgrad.transforms.vmap import BatchTrace


class While:
    """The body that takes constants and a carry, and gives the last carry.

    Arguments:
        decide: a body whose only result is whether to go on.
        step: a body that gives the next carry. Both take the constants and the carry.
        constants: how many.
    """

    __slots__ = ("constants", "decide", "step")

    def __init__(self, decide: Any, step: Any, constants: int) -> None:
        self.decide, self.step, self.constants = decide, step, constants

    @property
    def parts(self) -> dict[str, Any]:
        return {"while": self.decide, "do": self.step}

    def __call__(self, *args: Any) -> list[Any]:
        constants, carry = args[: self.constants], list(args[self.constants :])
        while True:
            (goes_on,) = self.decide(*constants, *carry)
            if not known(goes_on):
                return carry
            carry = self.step(*constants, *carry)

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[self.constants :])

    def batched(self, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
        n = self.constants
        found = carried(self.step, mask, slice(n, None))
        if next(iter(depends(self.decide, found))):
            needed = [*mask[:n], *[True] * (len(mask) - n)]
            decide, step = [Batched(b, tuple(needed), trace.size, trace.axis_name) for b in (self.decide, self.step)]
            return WhileAnyWorks(decide, step, n), needed
        decide = PartlyBatched(self.decide, found, (False,), trace)
        step = PartlyBatched(self.step, found, found[n:], trace)
        return WholeBatches(While(decide, step, n), found[n:], trace.size), found


class WholeBatches:
    """A batched loop whose shared results are broadcast."""

    __slots__ = ("body", "examples", "mask")
    composed = True  # of operations, each of which has its rules

    def __init__(self, body: While, mask: Sequence[bool], examples: int) -> None:
        self.body, self.mask, self.examples = body, mask, examples

    def __call__(self, *args: Any) -> list[Any]:
        outs = ControlFlow(self.body, "while_loop")(*args)
        return [
            o if m else fnp.broadcast_to(o, (self.examples, *o.shape)) for o, m in zip(outs, self.mask, strict=True)
        ]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [
            k if m else ShapeDtypeStruct((self.examples, *k.shape), k.dtype)
            for k, m in zip(self.body.kinds(kinds), self.mask, strict=True)
        ]


class WhileAnyWorks:
    """A loop over batches whose examples stop at different times: it goes on until all have stopped.

    Arguments:
        decide, step: on batches, which the whole carry is.
        constants: how many.
    """

    __slots__ = ("constants", "decide", "step")
    composed = True

    def __init__(self, decide: Batched, step: Batched, constants: int) -> None:
        self.decide, self.step, self.constants = decide, step, constants

    @property
    def parts(self) -> dict[str, Any]:
        return {"while any": self.decide, "do": self.step}

    def __call__(self, *args: Any) -> list[Any]:
        constants, carry = args[: self.constants], args[self.constants :]
        works = self.decide(*args)
        loop = While(AnyWorks(self.constants), OfThoseWhoWork(self.decide, self.step, self.constants), self.constants)
        return ControlFlow(loop, "while_loop")(*constants, *works, *carry)[1:]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[self.constants :])


class AnyWorks:
    """Whether some example goes on; the carry begins with which examples do."""

    __slots__ = ("constants",)

    def __init__(self, constants: int) -> None:
        self.constants = constants

    def __call__(self, *args: Any) -> list[Any]:
        return [fnp.any(args[self.constants])]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [ShapeDtypeStruct((), bool)]


class OfThoseWhoWork:
    """A step of those examples that go on; the carry begins with which examples do."""

    __slots__ = ("collective", "constants", "decide", "step")

    def __init__(self, decide: Batched, step: Batched, constants: int) -> None:
        self.decide, self.step, self.constants = decide, step, constants
        self.collective = has_collective(step)

    @property
    def parts(self) -> dict[str, Any]:
        return {"while any": self.decide, "do": self.step}

    def __call__(self, *args: Any) -> list[Any]:
        n = self.constants
        constants, works, carry = args[:n], args[n], args[n + 1 :]
        found = self.step(*on_working(works, [*constants, *carry], self.step.mask, self.collective))
        carry = tuple([per_example(works, new, old) for new, old in zip(found, carry, strict=True)])
        (goes_on,) = self.decide(*constants, *carry)
        return [fnp.logical_and(works, goes_on), *carry]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return list(kinds[self.constants :])
