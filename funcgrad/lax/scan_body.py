"""The body of `scan`: one step, repeated over the rows of arrays; and how rows are read and joined."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import funcgrad.numpy as fnp
from funcgrad.core.array import Array, wrap
from funcgrad.core.trace import zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax import scan_derivatives
from funcgrad.lax.control_flow import ControlFlow, PartlyBatched, carried
from funcgrad.ops import structural
from funcgrad.transforms.vmap import BatchTrace


class Scan:
    """The body that takes constants, a carry and arrays, and gives the last carry and what the steps gave, joined.

    Arguments:
        step: a body that takes the constants, the carry and a row of each array, and gives the next carry and more.
        constants, carry: how many.
        length: the number of steps.
        reverse: whether the last row comes first.
    """

    __slots__ = ("carry", "constants", "length", "reverse", "step")

    def __init__(self, step: Any, constants: int, carry: int, length: int, reverse: bool) -> None:
        self.step, self.constants, self.carry = step, constants, carry
        self.length, self.reverse = length, reverse

    @property
    def parts(self) -> dict[str, Any]:
        return {f"{self.length} times{', from the last to the first' if self.reverse else ''}": self.step}

    def repeated(self, step: Any, constants: int, carry: int, backwards: bool = False) -> Scan:
        """A scan of as many steps that takes another one, through the rows in the same order or backwards."""
        return Scan(step, constants, carry, self.length, self.reverse != backwards)

    def split(self, args: Sequence[Any]) -> tuple[Sequence[Any], Sequence[Any], Sequence[Any]]:
        """Constants, carry, arrays."""
        n = self.constants + self.carry
        return args[: self.constants], args[self.constants : n], args[n:]

    def __call__(self, *args: Any) -> list[Any]:
        constants, carry, xs = self.split(args)
        found = []
        for i in order(self.length, self.reverse):
            outs = self.step(*constants, *carry, *[x[i] for x in xs])
            carry = outs[: self.carry]
            found.append(outs[self.carry :])
        if self.reverse:
            found.reverse()
        if not found:
            kinds = self.kinds([ShapeDtypeStruct(x.shape, x.dtype) for x in args])[self.carry :]
            return [*carry, *[wrap(zeros(k.shape, k.dtype)) for k in kinds]]
        return [*carry, *[joined(column) for column in zip(*found, strict=True)]]

    def deciding(self, args: Sequence[Any]) -> Sequence[Any]:
        return ()

    def one_step(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        """The types of the arguments of a step."""
        n = self.constants + self.carry
        return [*kinds[:n], *[ShapeDtypeStruct(k.shape[1:], k.dtype) for k in kinds[n:]]]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        outs = self.step.kinds(self.one_step(kinds))
        return [*outs[: self.carry], *[ShapeDtypeStruct((self.length, *k.shape), k.dtype) for k in outs[self.carry :]]]

    def jvp(self, name: str, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        return scan_derivatives.jvp(self, name, primals, tangents)

    def vjp(self, name: str, primals: Sequence[Any], mask: Sequence[bool]) -> tuple[list[Any], Any]:
        return scan_derivatives.vjp(self, name, primals, mask)

    def batched(self, mask: Sequence[bool], trace: BatchTrace) -> tuple[Any, Sequence[bool]]:
        n, m = self.constants, self.constants + self.carry
        found = carried(self.step, mask, slice(n, m))
        step = PartlyBatched(self.step, found, found[n:m], trace)
        return BatchedScan(self.repeated(step, n, self.carry), found, trace.size), found


class BatchedScan:
    """A scan on batches: the rows of arrays lie behind the batch dimension here, and before it in the scan.

    Arguments:
        body: the scan, whose step is on batches.
        mask: which arguments are batches.
        examples: how many.
    """

    __slots__ = ("body", "examples", "mask")
    composed = True  # of operations, each of which has its rules

    def __init__(self, body: Scan, mask: Sequence[bool], examples: int) -> None:
        self.body, self.mask, self.examples = body, mask, examples

    def __call__(self, *args: Any) -> list[Any]:
        n = self.body.constants + self.body.carry
        xs = [fnp.moveaxis(x, 0, 1) if m else x for x, m in zip(args[n:], self.mask[n:], strict=True)]
        outs = ControlFlow(self.body, "scan")(*args[:n], *xs)
        carry = [
            o if m else fnp.broadcast_to(o, (self.examples, *o.shape))
            for o, m in zip(outs, self.mask[self.body.constants : n], strict=False)
        ]
        return [*carry, *[fnp.moveaxis(o, 1, 0) for o in outs[self.body.carry :]]]

    def kinds(self, kinds: Sequence[ShapeDtypeStruct]) -> list[ShapeDtypeStruct]:
        n = self.body.constants + self.body.carry
        xs = [
            ShapeDtypeStruct((k.shape[1], k.shape[0], *k.shape[2:]), k.dtype) if m else k
            for k, m in zip(kinds[n:], self.mask[n:], strict=True)
        ]
        outs = self.body.kinds([*kinds[:n], *xs])
        carry = [
            k if m else ShapeDtypeStruct((self.examples, *k.shape), k.dtype)
            for k, m in zip(outs, self.mask[self.body.constants : n], strict=False)
        ]
        ys = outs[self.body.carry :]
        return [*carry, *[ShapeDtypeStruct((k.shape[1], k.shape[0], *k.shape[2:]), k.dtype) for k in ys]]


def order(length: int, reverse: bool) -> Iterable[int]:
    """The numbers of the rows, in the order of the steps."""
    return range(length - 1, -1, -1) if reverse else range(length)


_PART = 64  # rows that are joined at once: for each number of traced rows there is a plan


def joined(rows: Sequence[Any]) -> Any:
    """Arrays of one shape as the rows of an array.

    Many traced ones are joined by parts, for a primitive with n operands has a plan for each n.
    """
    if all(type(x) is Array for x in rows):
        values = [x._value for x in rows]
        return wrap(np.stack(values) if values[0].ndim else np.array(values))
    if len(rows) <= _PART:
        return wrap(structural.stack(*rows, axis=0))
    parts = [structural.stack(*rows[k : k + _PART], axis=0) for k in range(0, len(rows), _PART)]
    while len(parts) > 1:
        parts = [structural.concatenate(*parts[k : k + _PART], axis=0) for k in range(0, len(parts), _PART)]
    return wrap(parts[0])
