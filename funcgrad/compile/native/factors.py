"""Factors of matrices by NumPy's own LAPACK: Cholesky's and its inverse, eigenvalues and eigenvectors.

What LAPACK gives up on, as a matrix that is not positive definite, is left to NumPy, which raises the error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.blas import blas
from funcgrad.compile.native.calls import leave_unless, others_running
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.lapack import FLOAT, LONG, Integers, by_columns, identity
from funcgrad.compile.native.places import Make, Place, Room, Write, each
from funcgrad.compile.native.sweeps import Access, Sweep, copy
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of
from funcgrad.ops import elimination, factorizations, linalg

_INT = np.dtype(np.int64)
_BY_COLUMNS, _LEFT, _UPPER, _LOWER, _AS_IT_IS, _ANY_DIAGONAL, _ONES = 102, 141, 121, 122, 111, 131, 132  # BLAS's words


def cholesky(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The lower factor of (a + aᵀ) / 2."""
    (a,), (x,) = given, to
    n = a.shape[-1]
    factor, numbers, rows = by_columns(room, (n, n)), Integers(room, 2), room.holding(np.arange(n))

    def write(f: Function) -> None:
        lower = _letter(f, "L")

        def one(places: Sequence[Place]) -> None:
            _symmetric(f, factor, places[0])
            size, info = numbers.at(f, n)
            with others_running(f, n >= LONG):
                f.run("funcgrad.dpotrf", lower, size, factor.pointer(f), size, info, _LENGTH)
            leave_unless(f, numbers.is_zero(f, info))
            _lower(f, places[1], factor, rows)

        each(f, a.shape[:-2], (a, x), one)

    return write


def inverse_lower(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The inverse of a lower triangle; one of a singular one is left to NumPy."""
    return _divided(given[0], to[0], room, lambda f, right, _: identity(f, right))


def divided(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """a⁻¹ b of a triangle; what is divided by a singular one is left to NumPy."""
    a, b = given

    def begin(f: Function, right: Place, places: Sequence[Place]) -> None:
        copy(f, right, places[0])

    return _divided(a, to[0], room, begin, [b], e.params["lower"], e.params["unit"])


def _divided(
    a: Place,
    x: Place,
    room: Room,
    begin: Callable[[Function, Place, Sequence[Place]], None],
    more: Sequence[Place] = (),
    lower: bool = True,
    unit: bool = False,
) -> Write:
    """What writes a⁻¹ of what `begin` writes, from the matrices that it is given."""
    factor, right, kind = by_columns(room, a.shape[-2:]), by_columns(room, x.shape[-2:]), Integers(room, 1).kind
    words = (_BY_COLUMNS, _LEFT, _LOWER if lower else _UPPER, _AS_IT_IS, _ONES if unit else _ANY_DIAGONAL)
    ways, (n, k) = [Value(str(w), "i32") for w in words], [Value(str(n), kind) for n in x.shape[-2:]]

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            copy(f, factor, places[0])
            begin(f, right, places[2:])
            if not unit:
                leave_unless(f, _regular(f, factor))
            pointers = [p.pointer(f) for p in (factor, right)]
            with others_running(f, a.shape[-1] >= LONG):
                f.run("funcgrad.dtrsm", *ways, n, k, f.constant(1.0, "double", 1), pointers[0], n, pointers[1], n)
            copy(f, places[1], right)

        each(f, x.shape[:-2], (a, x, *more), one)

    return write


def eigenvalues(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The eigenvalues of symmetric matrices, and the eigenvectors if they are asked for."""
    (a,) = given
    n, vectors, side = a.shape[-1], len(to) > 1, e.params["uplo"]
    matrix, values, numbers = by_columns(room, (n, n)), room((n,), FLOAT), Integers(room, 4)
    lengths = (1 + 6 * n + 2 * n * n, 3 + 5 * n) if vectors else (2 * n + 1, 1)  # as LAPACK says
    work, more = room((lengths[0],), FLOAT), room((lengths[1],), _INT)
    results = [
        to[0]._replace(shape=(*to[0].shape[:-1], 1, n), strides=(*to[0].strides[:-1], 0, to[0].strides[-1])),
        *to[1:],
    ]

    def write(f: Function) -> None:
        letters = _letter(f, "V" if vectors else "N"), _letter(f, side or "L")

        def one(places: Sequence[Place]) -> None:
            if side is None:
                _symmetric(f, matrix, places[0])
            else:
                copy(f, matrix, places[0])
            size, *sizes, info = numbers.at(f, n, *lengths)
            (x, w), rooms = [p.pointer(f) for p in (matrix, values)], [p.pointer(f) for p in (work, more)]
            rest = (rooms[0], sizes[0], rooms[1], sizes[1], info, _LENGTH, _LENGTH)
            with others_running(f, n >= LONG):
                f.run("funcgrad.dsyevd", *letters, size, x, size, w, *rest)
            leave_unless(f, numbers.is_zero(f, info))
            for p, found in zip(places[1:], (values, matrix), strict=False):
                copy(f, p, found)

        each(f, a.shape[:-2], (a, *results), one)

    return write


def takes(e: Equation) -> bool:
    """Whether LAPACK has what an equation asks for."""
    found = blas()
    real = all(dtype_of(i).char in "fd" for i in e.inputs)
    return real and found is not None and _ROUTINES[e.primitive] in found.addresses


FACTORS: dict[Any, Make] = {
    factorizations.cholesky: cholesky,
    factorizations.eigh: eigenvalues,
    factorizations.eigvalsh: eigenvalues,
    linalg.inv_lower: inverse_lower,
    elimination.triangular_solve: divided,
}
"""For each primitive what makes room for it and gives what writes it."""
_ROUTINES = {
    factorizations.cholesky: "dpotrf",
    factorizations.eigh: "dsyevd",
    factorizations.eigvalsh: "dsyevd",
    linalg.inv_lower: "dtrsm",
    elimination.triangular_solve: "dtrsm",
}
_LENGTH = Value("1", "i64")  # of a letter; Fortran's functions are told that last


def _letter(f: Function, letter: str) -> Value:
    """Where a letter is."""
    name = f"letter.{letter}"
    f.module.declared[name] = f'@{name} = private constant [1 x i8] c"{letter}"'
    return Value(f"@{name}", "ptr")


def _symmetric(f: Function, to: Place, a: Place) -> None:
    """Write (a + aᵀ) / 2."""
    arrays = {"a": Access(a, a.strides), "b": Access(a, a.strides[::-1]), "to": Access(to, to.strides)}

    def body(sweep: Sweep) -> Sequence[Value]:
        total = f.binary("fadd", sweep.read("a"), sweep.read("b"))
        half = f.binary("fmul", total, f.like(0.5, total))
        sweep.write("to", convert(f, half, a.dtype, to.dtype))
        return ()

    Sweep(f, to.shape, arrays).run(body)


def _lower(f: Function, to: Place, a: Place, rows: Place) -> None:
    """Write the lower triangle, and zeros above it."""
    arrays = {"a": Access(a, a.strides), "to": Access(to, to.strides)}
    arrays |= {"i": Access(rows, (1, 0)), "j": Access(rows, (0, 1))}

    def body(sweep: Sweep) -> Sequence[Value]:
        x, i, j = [sweep.spread(sweep.read(k)) for k in ("a", "i", "j")]
        sweep.write("to", convert(f, f.select(f.compare("sge", i, j), x, f.like(0.0, x)), a.dtype, to.dtype))
        return ()

    Sweep(f, to.shape, arrays).run(body)


def _regular(f: Function, a: Place) -> Value:
    """Whether there is no zero on the diagonal."""
    start, zero = a.pointer(f), f.constant(0.0, "double", 1)

    def step(i: Value, now: Sequence[Value]) -> list[Value]:
        x = f.load(f.address(start, f.let(f"mul {i}, {sum(a.strides)}", "i64", 1), "double"), "double", 1)
        return [f.binary("and", now[0], f.compare("une", x, zero))]

    first, stop = [f.constant(k, "i64", 1) for k in (0, a.shape[0])]
    return f.loop(first, stop, 1, [f.constant(True, "i1", 1)], step)[0]
