"""The body of `cond` and `switch`: several bodies of the same arguments, of which an index chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.trace import known
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax.control_flow import ControlFlow, has_collective, on_working, per_example
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward
from funcgrad.transforms.call import Rerun
from funcgrad.transforms.vmap import BatchTrace


class Branches:
    """The body that takes an index, and the arguments for the branch of that number.

    Arguments:
        branches: bodies of the same arguments, with results of the same types.
    """

    __slots__ = ("branches",)

    def __init__(self, branches: Sequence[Any]) -> None:
        self.branches = tuple(branches)

    @property
    def parts(self) -> dict[str, Any]:
        return {f"branch {k}": b for k, b in enumerate(self.branches)}

    def __call__(self, index: Any, *args: Any) -> list[Any]:
        return self.branches[int(known(index))](*args)

    def deciding(self, args: Sequence[Any]) -> Sequence[Any]:
        return args[:1]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.branches[0].kinds(kinds[1:])

    def jvp(self, name: str, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        mask = tuple([t is not None for t in tangents[1:]])
        pushed = Branches([Pushforward(b, mask) for b in self.branches])
        found = ControlFlow(pushed, name)(*primals, *[t for t in tangents if t is not None])
        kinds = self.branches[0].kinds([ShapeDtypeStruct(x.shape, x.dtype) for x in primals[1:]])
        of = iter(found[len(kinds) :])
        return found[: len(kinds)], [next(of) if is_inexact(k.dtype) else None for k in kinds]

    def vjp(self, name: str, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Any]:
        outs = ControlFlow(self, name)(*primals)
        pulled = Branches([PullbackBody(b, mask[1:]) for b in self.branches])
        return outs, Rerun(ControlFlow(pulled, name), [ShapeDtypeStruct(o.shape, o.dtype) for o in outs], primals)

    def batched(self, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
        on_batches = [Batched(b, tuple(mask[1:]), trace.size, trace.axis_name) for b in self.branches]
        return (EachItsBranch if mask[0] else Branches)(on_batches), mask


class EachItsBranch(Branches):
    """Branches on batches whose examples have each an index of their own: every branch that some example takes is run.

    Whether one does is again a choice, between the branch and zeros that nobody reads.
    """

    __slots__ = ()
    branches: tuple[Batched, ...]
    composed = True  # of operations, each of which has its rules

    def __call__(self, index: Any, *args: Any) -> list[Any]:
        kinds = self.branches[0].kinds([ShapeDtypeStruct(x.shape, x.dtype) for x in args])
        results: list[Any] = []
        for k, branch in enumerate(self.branches):
            takes = fnp.equal(index, k)
            found = ControlFlow(Branches([Zeros(kinds), OfThoseWhoTakeIt(branch)]), "cond")(
                fnp.any(takes), takes, *args
            )
            results = [per_example(takes, new, old) for new, old in zip(found, results, strict=True)] if k else found
        return results

    def batched(self, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
        return Batched(self, tuple(mask), trace.size, trace.axis_name), mask


class Zeros:
    """The body that gives zeros, whatever its arguments."""

    __slots__ = ("found",)

    def __init__(self, kinds: list[ShapeDtypeStruct]) -> None:
        self.found = kinds

    def __call__(self, *args: Any) -> list[Any]:
        return [wrap(np.broadcast_to(np.zeros((), k.dtype), k.shape)) for k in self.found]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.found


class OfThoseWhoTakeIt:
    """A branch on batches; it takes which examples take the branch, and the arguments."""

    __slots__ = ("body",)

    def __init__(self, body: Batched) -> None:
        self.body = body

    def __call__(self, takes: Any, *args: Any) -> list[Any]:
        return self.body(*on_working(takes, args, self.body.mask, has_collective(self.body)))

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.body.kinds(kinds[1:])
