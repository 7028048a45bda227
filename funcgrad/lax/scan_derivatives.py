"""The derivatives of a recorded scan, which are scans again.

Forward mode carries tangents beside the carry. Reverse mode is two scans. The first gives, beside its results, what the
backward pass needs of each step, joined along a new first axis. The second goes through the rows in the other order,
carries the cotangent of the carry, adds up those of the constants, and gives those of the arrays row by row. What a
step keeps of the constants, or computes of them alone, is kept once, and rows of the arrays are not kept again.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING, Any

import numpy as np

from funcgrad.core import tree
from funcgrad.core.array import is_inexact, wrap
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.trace import Tracer, zeros
from funcgrad.core.types import ShapeDtypeStruct
from funcgrad.lax.control_flow import ControlFlow, depends
from funcgrad.transforms.bodies import Pushforward, TapeBody
from funcgrad.transforms.closing import close
from funcgrad.transforms.halves import Halves

if TYPE_CHECKING:
    from funcgrad.lax.scan_body import Scan


def jvp(scan: Scan, name: str, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Results of a scan, and a tangent of each, or None.

    Arguments:
        scan, name: the operation.
        primals, tangents: its operands, and a tangent or None for each.
    """
    kinds = [ShapeDtypeStruct(x.shape, x.dtype) for x in primals]
    moving = _moving(scan, kinds, [t is not None for t in tangents])
    moved = [_zeros(k) if t is None else t for t, k in zip(tangents, kinds, strict=True)]

    def both(xs: Sequence[Any], ts: Sequence[Any]) -> list[list[Any]]:
        """Constants and their tangents, the carry and its, arrays and theirs."""
        groups = zip(scan.split(xs), scan.split(ts), scan.split(moving), strict=True)
        return [part for x, t, m in groups for part in (list(x), list(compress(t, m)))]

    rows = both(scan.one_step(kinds), scan.one_step(kinds))
    lengths = [len(part) for part in rows]
    in_carry = scan.split(moving)[1]
    outs = scan.step.kinds(scan.one_step(kinds))
    tangible = [is_inexact(k.dtype) for k in outs]

    def step(*args: Any) -> list[Any]:
        c, dc, s, ds, x, dx = parted(args, lengths)
        found = Pushforward(scan.step, tuple(moving))(*c, *s, *x, *dc, *ds, *dx)
        of = _placed(found[len(outs) :], tangible)
        carry, ys = parted(found, [scan.carry, len(outs) - scan.carry])
        return [*carry, *compress(of, in_carry), *ys, *compress(of[scan.carry :], tangible[scan.carry :])]

    body, _, _ = close(step, list(chain(*rows)), name, decides=False)
    pushed = scan.repeated(body, lengths[0] + lengths[1], lengths[2] + lengths[3])
    found = ControlFlow(pushed, name)(*chain(*both(primals, moved)))
    n = len(outs) - scan.carry
    carry, of_carry, ys, of_ys = parted(found, [scan.carry, lengths[3], n, sum(tangible[scan.carry :])])
    return [*carry, *ys], [*_placed(of_carry, in_carry), *_placed(of_ys, tangible[scan.carry :])]


def vjp(scan: Scan, name: str, primals: Sequence[Any], mask: Sequence[bool]) -> tuple[list[Any], ScanPullback]:
    """Results of a scan, and its pullback to the operands that mask marks."""
    halves = ScanHalves(scan, name, [ShapeDtypeStruct(x.shape, x.dtype) for x in primals], mask)
    constants, _, xs = scan.split(primals)
    found = ControlFlow(halves.forward, name)(*primals)
    n = len(halves.step.results)
    by_row = {"x": xs, "y": found[scan.carry : n], "kept": found[n:]}
    kept = [*halves.once(*constants), *[by_row[where][k] for where, k in halves.by_row.values()]]
    return found[:n], ScanPullback(halves, tuple(mask), kept)


class ScanHalves:
    """The two scans that reverse mode makes of one.

    Arguments:
        scan, name: the operation.
        kinds: of its operands.
        mask: which of them are differentiated.

    Attributes:
        moving: what depends on those: operands, and the carry later on.
        step: the halves of one step.
        forward: the scan that gives the results, and then what else the backward scan reads row by row.
        once: the body that gives, from the constants, the residuals that are the same in each step.
        by_row: the residuals that are not, by their equations on the forward half of the step, and where they are
            found: among the arrays, the results, or what the forward scan gives beside those.
    """

    def __init__(self, scan: Scan, name: str, kinds: Sequence[ShapeDtypeStruct], mask: Sequence[bool]) -> None:
        self.scan, self.name, self.kinds = scan, name, kinds
        self.moving = _moving(scan, kinds, mask)
        self.step = Halves(scan.step, scan.one_step(kinds), self.moving, name)
        tape, n = self.step.forward.tape, len(self.step.results)
        self.residuals = tape.outputs[n:]
        steady = _steady(tape, scan.constants)
        once = dict.fromkeys([r for r in self.residuals if type(r) is Equation and r in steady])
        places: dict[Any, tuple[str, int]] = {
            o: ("y", k) for k, o in enumerate(tape.outputs[scan.carry : n]) if type(o) is Equation
        }
        places.update({e: ("x", k) for k, e in enumerate(tape.inputs[scan.constants + scan.carry :])})
        kept: list[Equation] = []
        self.by_row: dict[Equation, tuple[str, int]] = {}
        for r in self.residuals:
            if type(r) is Equation and r not in steady and r not in self.by_row:
                if r not in places:
                    places[r] = ("kept", len(kept))
                    kept.append(r)
                self.by_row[r] = places[r]
        body = Tape(tape.inputs, [*tape.outputs[:n], *kept], None, None, symbolic=True, effects=tape.effects)
        self.forward = scan.repeated(TapeBody(body), scan.constants, scan.carry)
        self.once = TapeBody(Tape(tape.inputs[: scan.constants], list(once), None, None, symbolic=True))
        self._backward: dict[tuple[bool, ...], Scan] = {}

    def backward(self, arrived: tuple[bool, ...]) -> Scan:
        """The scan that pulls back.

        Its constants are the residuals that are the same in each step; its carry the cotangents of the carry and the
        sums of those of the constants; its arrays the other residuals and the cotangents of the results that have one.

        Arguments:
            arrived: for the results that are no carry, whether they have one.
        """
        if arrived not in self._backward:
            self._backward[arrived] = self._pulling(arrived)
        return self._backward[arrived]

    def _pulling(self, arrived: tuple[bool, ...]) -> Scan:
        scan = self.scan
        constants, carry, _ = scan.split(self.moving)
        in_carry, sums = sum(carry), sum(constants)
        outs = self.step.results
        once = self.once.tape.outputs
        carried = list(compress(outs, carry))
        of_constants = list(compress(self.kinds, constants))
        of_ys = list(compress(outs[scan.carry :], arrived))
        arguments = [*map(_kind, once), *carried, *of_constants, *map(_kind, self.by_row), *of_ys]
        lengths = [len(once), in_carry, sums, len(self.by_row), len(of_ys)]

        def step(*args: Any) -> list[Any]:
            steady, of_carry, totals, rows, given = parted(args, lengths)
            known = {**dict(zip(once, steady, strict=True)), **dict(zip(self.by_row, rows, strict=True))}
            residuals = [known[r] if type(r) is Equation else r for r in self.residuals]
            found = iter(self.step.backward(residuals, [*_placed(of_carry, carry), *_placed(given, arrived)]))
            totals = [_total(t, next(found)) for t in totals]
            return [*[next(found) for _ in range(in_carry)], *totals, *found]

        body, _, _ = close(step, arguments, self.name, decides=False)
        return scan.repeated(body, len(once), in_carry + sums, backwards=True)


class ScanPullback:
    """The pullback of a scan: the backward scan, and what the forward scan kept.

    Arguments:
        halves: the scans.
        mask: the operands whose cotangents are asked for.
        kept: residuals; those that are the same in each step come first.
    """

    __slots__ = ("halves", "kept", "mask")

    def __init__(self, halves: ScanHalves, mask: tuple[bool, ...], kept: Sequence[Any]) -> None:
        self.halves, self.mask, self.kept = halves, mask, kept

    def __call__(self, cotangents: Sequence[Any]) -> list[Any]:
        halves, scan = self.halves, self.halves.scan
        constants, carry, _ = scan.split(halves.moving)
        steady, rows = parted(self.kept, [len(halves.once.tape.outputs), len(halves.by_row)])
        of_ys = cotangents[scan.carry :]
        arrived = tuple([g is not None for g in of_ys])
        of_carry = [_zeros(k) if g is None else g for g, k in zip(cotangents, halves.step.results, strict=False)]
        totals = [_zeros(k) for k in compress(halves.kinds, constants)]
        found = ControlFlow(halves.backward(arrived), halves.name)(
            *steady, *compress(of_carry, carry), *totals, *rows, *compress(of_ys, arrived)
        )
        first, sums, rest = parted(found, [sum(carry), len(totals), len(found) - sum(carry) - len(totals)])
        return list(compress(_placed([*sums, *first, *rest], halves.moving), self.mask))


tree.register_pytree_node(
    ScanPullback, lambda p: (p.kept, (p.halves, p.mask)), lambda aux, kept: ScanPullback(aux[0], aux[1], kept)
)


def _moving(scan: Scan, kinds: Sequence[ShapeDtypeStruct], mask: Sequence[bool]) -> list[bool]:
    """Which operands are marked, or are a carry that depends on a marked one after some steps."""
    carry = slice(scan.constants, scan.constants + scan.carry)
    found = list(mask)
    while True:
        dependent = depends(scan.step, found)
        after = [
            m or (d and is_inexact(k.dtype)) for m, d, k in zip(found[carry], dependent, kinds[carry], strict=False)
        ]
        if after == found[carry]:
            return found
        found[carry] = after


def _steady(tape: Tape, constants: int) -> set[Equation]:
    """The equations that depend on nothing but the first inputs."""
    found = set(tape.inputs[:constants])
    for e in tape.equations:
        if e.inputs and all(type(i) is not Equation or i in found for i in e.inputs):
            found.add(e)
    return found


def parted(xs: Sequence[Any], lengths: Sequence[int]) -> list[Sequence[Any]]:
    """A sequence cut into parts of these lengths."""
    ends = list(accumulate(lengths))
    return [xs[end - n : end] for n, end in zip(lengths, ends, strict=True)]


def _placed(xs: Sequence[Any], mask: Sequence[bool]) -> list[Any]:
    """The values in the places that mask marks, None in the others."""
    given = iter(xs)
    return [next(given) if m else None for m in mask]


def _total(total: Any, g: Any) -> Any:
    """What has been added up, and g; a zero that no step contributes to is left alone."""
    return total + g if isinstance(g, Tracer) or np.any(g) else total


def _kind(e: Equation) -> ShapeDtypeStruct:
    return ShapeDtypeStruct(e.shape, e.dtype)


def _zeros(kind: ShapeDtypeStruct) -> Any:
    return wrap(zeros(kind.shape, kind.dtype))
