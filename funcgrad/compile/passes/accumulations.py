"""Accumulations: a long sum of products of matrices is one product of longer ones, and of sums of rows one sum.

What a loop that was unrolled adds to the gradient of a weight in each step, A₁ᵀB₁ + A₂ᵀB₂ + …, is AᵀB, where A and B
have the rows of all steps; and products x₁W, x₂W, … of the rows of one array with one matrix are rows of one product.
"""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import contract, elementwise, index, reduce, structural

LONG = 8  # terms from which it is worth joining them
SMALL = 1 << 16  # elements of a term up to which joining costs less than the calls


def accumulations(tape: Tape) -> Tape:
    """The tape with such sums and products as one operation each."""
    return _joined_sums(_joined_products(tape))


def _joined_sums(tape: Tape) -> Tape:
    readers: dict[Equation, int] = {}
    for e in tape.equations:
        for i in e.inputs:
            if type(i) is Equation:
                readers[i] = readers.get(i, 0) + 1
    chains: dict[Equation, list[Equation]] = {}
    outputs = {o for o in tape.outputs if type(o) is Equation}
    for e in tape.equations:  # from the first addition to the last, each takes over the terms of the one before
        if e.primitive is not elementwise.add or not all(_like(i, e) for i in e.inputs):
            continue
        terms: list[Equation] = []
        for i in e.inputs:
            if i in chains and readers[i] == 1 and i not in outputs:
                terms += chains.pop(i)
            else:
                terms.append(i)
        chains[e] = terms
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


def _parted(terms: list[Equation]) -> tuple[list[Equation], list[Equation], list[Equation]]:
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
    """The terms of e with its products as one, and its sums over rows as one, where there are many."""
    products, sums, rest = _parted(terms)
    found: list[Equation] = []
    if len(sums) >= LONG:
        rows = _rows(e, [t.inputs[0] for t in sums])
        found.append(between(reduce.reduce_sum, e, (rows,), e.shape, e.dtype, axis=(0,)))
    else:
        rest += sums
    if len(products) >= LONG:
        left, right = [t.inputs[0] for t in products], [t.inputs[1] for t in products]
        if all(x.primitive is structural.transpose and type(x.inputs[0]) is Equation for x in left):
            tall = _rows(e, [x.inputs[0] for x in left])
            wide = between(structural.transpose, e, (tall,), tall.shape[::-1], tall.dtype, axes=(1, 0))
        else:
            shape = (left[0].shape[0], sum([x.shape[1] for x in left]))
            wide = between(structural.concatenate, e, tuple(left), shape, e.dtype, axis=1)
        found.append(between(contract.matmul, e, (wide, _rows(e, right)), e.shape, e.dtype))
    else:
        rest += products
    return found + rest


def _rows(e: Equation, xs: list[Equation]) -> Equation:
    """The rows of several matrices in one; if they are the parts of one array, that array."""
    shape = (sum([x.shape[0] for x in xs]), xs[0].shape[1])
    base = xs[0].inputs[0] if xs[0].primitive is index.getitem else None
    if type(base) is Equation and len(base.shape) == 3 and base.shape[0] == len(xs):
        parts = [x.params["index"] if x.primitive is index.getitem and x.inputs[0] is base else None for x in xs]
        for step in (1, -1):
            if parts == list(range(len(xs)))[::step]:
                whole = base
                if step < 0:
                    whole = between(structural.flip, e, (base,), base.shape, base.dtype, axes=(0,))
                return between(structural.reshape, e, (whole,), shape, base.dtype, shape=shape, order="C")
    return between(structural.concatenate, e, tuple(xs), shape, e.dtype, axis=0)


def _joined_products(tape: Tape) -> Tape:
    """The rows of an array, multiplied one by one with one matrix, are multiplied at once."""
    found: dict[tuple[Equation, Equation], list[Equation]] = {}
    for e in tape.equations:
        key = _row_times_matrix(e)
        if key is not None:
            found.setdefault(key, []).append(e)
    whole: dict[Equation, tuple[Equation, Equation]] = {}
    for (base, matrix), es in found.items():
        rows = {e.inputs[0].params["index"] for e in es}
        if len(rows) >= LONG and 2 * len(rows) >= base.shape[0]:
            whole.update(dict.fromkeys(es, (base, matrix)))
    if not whole:
        return tape
    made: dict[Any, Equation] = {}

    def rule(e: Equation, inputs: tuple) -> Any:
        if e not in whole:
            return None
        base, matrix = inputs[0].inputs[0], inputs[1]
        if whole[e] not in made:
            n, m, k = base.shape
            flat = between(structural.reshape, e, (base,), (n * m, k), base.dtype, shape=(n * m, k), order="C")
            product = between(contract.matmul, e, (flat, matrix), (n * m, matrix.shape[1]), e.dtype)
            shape = (n, *e.shape)
            made[whole[e]] = between(structural.reshape, e, (product,), shape, e.dtype, shape=shape, order="C")
        return applied(index.getitem, e, made[whole[e]], index=inputs[0].params["index"])

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
