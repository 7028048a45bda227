"""Accumulations: a long sum of products of matrices is one product of longer ones, and of sums of rows one sum.

What a loop that was unrolled adds to the gradient of a weight in each step, A₁ᵀB₁ + A₂ᵀB₂ + …, is AᵀB, where A and B
have the rows of many steps; and products x₁W, x₂W, … of the rows of one array with one matrix are rows of one product.
Joining all steps of a long loop at once would need as much memory as all their results, so they are joined by blocks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from funcgrad.compile.passes.making import between, numbered
from funcgrad.compile.rewrite import applied, reads, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import contract, elementwise, index, reduce, structural

LONG = 8  # terms from which it is worth joining them
BLOCK = 20  # terms that are joined
SMALL = 1 << 16  # elements of a term up to which joining costs less than the calls


def accumulations(tape: Tape) -> Tape:
    """The tape with such sums and products as one operation each."""
    return _joined_sums(_joined_products(tape))


def _joined_sums(tape: Tape) -> Tape:
    readers = reads(tape)
    chains: dict[Equation, deque[Equation]] = {}
    for e in tape.equations:  # from the first addition to the last, each takes over the terms of the one before
        if e.primitive is not elementwise.add or not all(_like(i, e) for i in e.inputs):
            continue
        x, y = [chains.pop(i) if i in chains and readers[i] == 1 else deque([i]) for i in e.inputs]
        if len(x) >= len(y):  # the longer takes over the shorter
            x.extend(y)
            chains[e] = x
        else:
            y.extendleft(reversed(x))
            chains[e] = y
    ends = {e: terms for e, terms in chains.items() if max(len(part) for part in _parted(terms)[:2]) >= LONG}
    if not ends:
        return tape
    now: dict[Equation, Any] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        if e in ends:
            total, *rest = _joined(e, [now.get(t, t) for t in ends[e]])
            for n, x in enumerate(rest, 1):
                total = (applied if n == len(rest) else _sum)(elementwise.add, e, total, x)
            return total
        now[e] = with_inputs(e, inputs)
        return now[e]

    return rewrite(tape, rule)


def _like(i: Any, e: Equation) -> bool:
    return type(i) is Equation and i.shape == e.shape and i.dtype == e.dtype


def _sum(primitive: Any, e: Equation, x: Equation, y: Equation) -> Equation:
    return between(primitive, e, (x, y), e.shape, e.dtype)


def _parted(terms: Iterable[Equation]) -> tuple[list[Equation], list[Equation], list[Equation]]:
    """Products, sums over rows, and the other terms, among them those that are large."""
    parts: tuple[list[Equation], list[Equation], list[Equation]] = ([], [], [])
    for t in terms:
        parts[0 if _is_product(t) else 1 if _is_sum(t) else 2].append(t)
    return parts


def _is_product(t: Equation) -> bool:
    return t.primitive is contract.matmul and t.dtype.char in "fdFD" and all(_small_matrix(i, t) for i in t.inputs)


def _is_sum(t: Equation) -> bool:
    return (
        t.primitive is reduce.reduce_sum
        and t.dtype.char in "fdFD"
        and t.params["axis"] == (0,)
        and not t.params.get("dtype")
        and not t.params.get("keepdims")
        and _small_matrix(t.inputs[0], t)
    )


def _small_matrix(x: Any, t: Equation) -> bool:
    return type(x) is Equation and len(x.shape) == 2 and x.dtype == t.dtype and x.shape[0] * x.shape[1] <= SMALL


def _joined(e: Equation, terms: list[Equation]) -> list[Equation]:
    """The terms of e with blocks of its products as one, and blocks of its sums over rows, where there are many."""
    products, sums, found = _parted(terms)
    for block in _blocks(sums):
        place = _places(block, e)
        rows = _rows([t.inputs[0] for t in block], place)
        found.append(numbered(reduce.reduce_sum, next(place), (rows,), e.shape, e.dtype, axis=(0,)))
    for block in _blocks(products):
        place = _places(block, e)
        left, right = [t.inputs[0] for t in block], [t.inputs[1] for t in block]
        if all(x.primitive is structural.transpose and type(x.inputs[0]) is Equation for x in left):
            tall = _rows([x.inputs[0] for x in left], place)
            wide = numbered(structural.transpose, next(place), (tall,), tall.shape[::-1], tall.dtype, axes=(1, 0))
        else:
            shape = (left[0].shape[0], sum([x.shape[1] for x in left]))
            wide = numbered(structural.concatenate, next(place), tuple(left), shape, e.dtype, axis=1)
        rows = _rows(right, place)
        found.append(numbered(contract.matmul, next(place), (wide, rows), e.shape, e.dtype))
    return found + _single(sums) + _single(products)


def _places(block: list[Equation], e: Equation) -> Iterator[float]:
    """Places in the order for equations right after the last term of a block, whose operands are free after them."""
    last = max([t.number for t in block])
    step = (e.number - last) * 2.0**-20
    return count(last + step, step)


def _blocks(terms: list[Equation]) -> list[list[Equation]]:
    """The terms that are joined."""
    blocks = [terms[k : k + BLOCK] for k in range(0, len(terms), BLOCK)]
    return [b for b in blocks if len(b) >= LONG]


def _single(terms: list[Equation]) -> list[Equation]:
    """Those that are too few for a block."""
    rest = len(terms) % BLOCK
    return terms[len(terms) - rest :] if rest < LONG else []


def _rows(xs: list[Equation], place: Iterator[float]) -> Equation:
    """The rows of several matrices in one; if they follow each other in an array, that part of it."""
    n, (m, k) = len(xs), xs[0].shape
    base = xs[0].inputs[0] if xs[0].primitive is index.getitem else None
    shape = (sum([x.shape[0] for x in xs]), k)
    if type(base) is Equation and len(base.shape) == 3:
        parts = [x.params["index"] if x.primitive is index.getitem and x.inputs[0] is base else None for x in xs]
        first = min(parts[0], parts[-1]) if type(parts[0]) is int and type(parts[-1]) is int else -1
        for step in (1, -1):
            if first >= 0 and parts == list(range(first, first + n))[::step]:
                whole = numbered(
                    index.getitem, next(place), (base,), (n, m, k), base.dtype, index=slice(first, first + n)
                )
                if step < 0:
                    whole = numbered(structural.flip, next(place), (whole,), whole.shape, base.dtype, axes=(0,))
                return numbered(structural.reshape, next(place), (whole,), shape, base.dtype, shape=shape, order="C")
    return numbered(structural.concatenate, next(place), tuple(xs), shape, xs[0].dtype, axis=0)


def _joined_products(tape: Tape) -> Tape:
    """The rows of an array, multiplied one by one with one matrix, are multiplied at once."""
    found: dict[tuple[Equation, Equation], list[Equation]] = {}
    for e in tape.equations:
        key = _row_times_matrix(e)
        if key is not None:
            found.setdefault(key, []).append(e)
    joined: set[Equation] = set()
    for (base, _), es in found.items():
        rows = {e.inputs[0].params["index"] for e in es}
        if len(rows) >= LONG and 2 * len(rows) >= base.shape[0]:
            joined.update(es)
    if not joined:
        return tape
    made: dict[Any, Equation] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        if e not in joined:
            return None
        base, matrix = inputs[0].inputs[0], inputs[1]
        number, place = divmod(inputs[0].params["index"], BLOCK)
        key = base, matrix, number
        if key not in made:
            n = min(BLOCK, base.shape[0] - number * BLOCK)
            _, m, k = base.shape
            part = slice(number * BLOCK, number * BLOCK + n)
            block = between(index.getitem, e, (base,), (n, m, k), base.dtype, index=part)
            flat = between(structural.reshape, e, (block,), (n * m, k), base.dtype, shape=(n * m, k), order="C")
            product = between(contract.matmul, e, (flat, matrix), (n * m, matrix.shape[1]), e.dtype)
            shape = (n, *e.shape)
            made[key] = between(structural.reshape, e, (product,), shape, e.dtype, shape=shape, order="C")
        return applied(index.getitem, e, made[key], index=place)

    return rewrite(tape, rule)


def _row_times_matrix(e: Equation) -> tuple[Equation, Equation] | None:
    if e.primitive is not contract.matmul:
        return None
    x, y = e.inputs
    if type(x) is not Equation or type(y) is not Equation or x.primitive is not index.getitem or x.dtype != y.dtype:
        return None
    base = x.inputs[0]
    if type(base) is not Equation or len(base.shape) != 3 or type(x.params["index"]) is not int or len(y.shape) != 2:
        return None
    return (base, y) if x.shape[0] * x.shape[1] <= SMALL and x.params["index"] >= 0 else None
