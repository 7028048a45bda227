"""The body of `cond` and `switch`: several bodies of the same arguments, of which an index chooses one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.trace import known
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax.control_flow import ControlFlow, has_collective, on_working, per_example
from funcgrad.transforms.bodies import Batched, PullbackBody, Pushforward, calls_host, tapes
from funcgrad.transforms.call import Rerun
from funcgrad.transforms.halves import Halves
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
        if any(calls_host(e.primitive) for tape in tapes(self) for e in tape.equations):
            return self._halved(name, primals, mask)
        outs = ControlFlow(self, name)(*primals)
        pulled = Branches([PullbackBody(b, mask[1:]) for b in self.branches])
        return outs, Rerun(ControlFlow(pulled, name), [ShapeDtypeStruct(o.shape, o.dtype) for o in outs], primals)

    def _halved(self, name: str, primals: Sequence[Any], mask: tuple[bool, ...]) -> tuple[list[Any], Rerun]:
        """`vjp` that keeps residuals instead of running a branch again, for branches that call functions of the host.

        All branches give room for the residuals of all, zeros in those of the others.
        """
        kinds = [ShapeDtypeStruct(x.shape, x.dtype) for x in primals[1:]]
        halves = [Halves(b, kinds, mask[1:], name) for b in self.branches]
        forward = Branches([ForwardHalf(halves, k) for k in range(len(halves))])
        backward = Branches([BackwardHalf(halves, k, list(compress(kinds, mask[1:]))) for k in range(len(halves))])
        found = ControlFlow(forward, name)(*primals)
        n = len(halves[0].results)
        return found[:n], Rerun(ControlFlow(backward, name), halves[0].results, [primals[0], *found[n:]])

    def batched(self, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
        on_batches = [Batched(b, tuple(mask[1:]), trace.size, trace.axis_name) for b in self.branches]
        return (EachItsBranch if mask[0] else Branches)(on_batches), mask


class ForwardHalf:
    """The branch of number k with its residuals after the results, and zeros in the places of those of the others."""

    __slots__ = ("halves", "k")

    def __init__(self, halves: list[Halves], k: int) -> None:
        self.halves, self.k = halves, k

    @property
    def parts(self) -> dict[str, Any]:
        return {"forward": self.halves[self.k].forward}

    def __call__(self, *args: Any) -> list[Any]:
        own = self.halves[self.k]
        found = own.forward(*args)
        outs = list(found[: len(own.results)])
        for h in self.halves:
            outs += found[len(own.results) :] if h is own else Zeros(h.residuals)()
        return outs

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return [*self.halves[self.k].results, *[r for h in self.halves for r in h.residuals]]


class BackwardHalf:
    """The pullback of the branch of number k, from the residuals of all branches and a cotangent for each result."""

    __slots__ = ("found", "halves", "k")

    def __init__(self, halves: list[Halves], k: int, found: list[ShapeDtypeStruct]) -> None:
        self.halves, self.k, self.found = halves, k, found

    def __call__(self, *args: Any) -> list[Any]:
        own = self.halves[self.k]
        start, end = [sum([len(h.residuals) for h in self.halves[:k]]) for k in (self.k, len(self.halves))]
        cotangents = iter(args[end:])
        given = [next(cotangents) if is_inexact(r.dtype) else None for r in own.results]
        return [wrap(g) for g in own.backward(args[start : start + len(own.residuals)], given)]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        return self.found


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
