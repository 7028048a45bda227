"""Systems of equations by NumPy's own LAPACK: solutions, inverses, determinants.

As in NumPy's linalg, matrices are copied column by column first, as doubles, for LAPACK writes over them. What it gives
up on is left to NumPy, which raises the error.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.blas import LETTERS, blas
from funcgrad.compile.native.calls import leave_unless, others_running
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.lapack import COMPLEX, FLOAT, LONG, Integers, by_columns, identity
from funcgrad.compile.native.places import Make, Place, Room, Write, each
from funcgrad.compile.native.sweeps import Access, Sweep, copy
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of
from funcgrad.ops import linalg

_INT = np.dtype(np.int64)


def takes(e: Equation) -> bool:
    """Whether an equation is a system that LAPACK solves."""
    found, dtypes = blas(), e.dtype if isinstance(e.dtype, tuple) else (e.dtype,)
    if found is None or not all(dtype_of(i).kind in "fciub" for i in e.inputs):
        return False
    both = e.primitive in (linalg.solve, linalg.inv) and "zgesv" in found.addresses
    return all(d.char in ("fdFD" if both else "fd") for d in dtypes)


def solution(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """a⁻¹ b."""
    a, b = given
    (x,) = to
    if len(b.shape) == 1:
        b, x = [p._replace(shape=(*p.shape, 1), strides=(*p.strides, 0)) for p in (b, x)]
    lapack = _Lapack(a, room, e.dtype.kind == "c")
    right = by_columns(room, b.shape[-2:], lapack.dtype)

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            copy(f, right, places[1])
            lapack.divide(f, places[0], right)
            copy(f, places[2], right)

        each(f, x.shape[:-2], (a, b, x), one)

    return write


def inverse(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """a⁻¹."""
    (a,), (x,) = given, to
    lapack = _Lapack(a, room, e.dtype.kind == "c")
    right = by_columns(room, a.shape[-2:], lapack.dtype)

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            identity(f, right)
            lapack.divide(f, places[0], right)
            copy(f, places[1], right)

        each(f, x.shape[:-2], (a, x), one)

    return write


def determinant(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The sign of the determinant, and the logarithm of its absolute value."""
    (a,), (sign, log) = given, [p._replace(shape=(*p.shape, 1, 1), strides=(*p.strides, 0, 0)) for p in to]
    lapack = _Lapack(a, room)

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            found = lapack.sign_and_logarithm(f, places[0])
            for x, p in zip(found, places[1:], strict=True):
                f.store(convert(f, x, FLOAT, p.dtype), p.pointer(f))

        each(f, a.shape[:-2], (a, sign, log), one)

    return write


def plain_determinant(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The determinant, by its logarithm, as NumPy computes it."""
    (a,), det = given, to[0]._replace(shape=(*to[0].shape, 1, 1), strides=(*to[0].strides, 0, 0))
    lapack = _Lapack(a, room)

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            f.store(convert(f, lapack.determinant(f, places[0]), FLOAT, det.dtype), places[1].pointer(f))

        each(f, a.shape[:-2], (a, det), one)

    return write


def cofactors(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """The determinant times the transposed inverse; those of a singular matrix are left to NumPy."""
    (a,), (x,) = given, to
    lapack, right = _Lapack(a, room), by_columns(room, a.shape[-2:])
    turned = right._replace(strides=right.strides[::-1])

    def write(f: Function) -> None:
        def one(places: Sequence[Place]) -> None:
            det = lapack.determinant(f, places[0])
            leave_unless(f, f.compare("une", det, f.constant(0.0, "double", 1)))
            identity(f, right)
            lapack.divide(f, places[0], right)
            arrays = {k: Access(p, p.strides) for k, p in (("of", turned), ("to", places[1]))}

            def body(sweep: Sweep) -> Sequence[Value]:
                found = f.binary("fmul", sweep.read("of"), sweep.spread(det))
                sweep.write("to", convert(f, found, FLOAT, x.dtype))
                return ()

            Sweep(f, turned.shape, arrays).run(body)

        each(f, a.shape[:-2], (a, x), one)

    return write


SYSTEMS: dict[Any, Make] = {
    linalg.solve: solution,
    linalg.inv: inverse,
    linalg.slogdet: determinant,
    linalg.det: plain_determinant,
    linalg.cofactor: cofactors,
}
"""For each primitive what makes room for it and gives what writes it."""


class _Lapack:
    """Calls of LAPACK for square matrices of one size.

    Arguments:
        a: the matrices, perhaps a stack of them.
        room: makes room for a copy of one and for the exchanges of its rows.
        is_complex: whether to compute in complex numbers.

    Attributes:
        dtype: that it computes in.
    """

    def __init__(self, a: Place, room: Room, is_complex: bool = False) -> None:
        self.dtype = COMPLEX if is_complex else FLOAT
        self._numbers = Integers(room, 3)
        self._integer, self._n = self._numbers.kind, a.shape[-1]
        self._factors = by_columns(room, a.shape[-2:], self.dtype)
        self._rows = room((self._n,), _INT)

    def divide(self, f: Function, a: Place, b: Place) -> None:
        """Write a⁻¹ b over b, which lies column by column."""
        copy(f, self._factors, a)
        n, k, info = self._numbers.at(f, self._n, b.shape[1])
        right, rows, factors = [p.pointer(f) for p in (b, self._rows, self._factors)]
        with others_running(f, self._n >= LONG):
            f.run(f"funcgrad.{LETTERS[self.dtype]}gesv", n, k, factors, n, rows, right, n, info)
        leave_unless(f, self._numbers.is_zero(f, info))

    def sign_and_logarithm(self, f: Function, a: Place) -> tuple[Value, Value]:
        """The sign of the determinant, and the logarithm of its absolute value."""
        copy(f, self._factors, a)
        n, _, info = self._numbers.at(f, self._n, 0)
        rows, factors = [p.pointer(f) for p in (self._rows, self._factors)]
        with others_running(f, self._n >= LONG):
            f.run("funcgrad.dgetrf", n, n, factors, n, rows, info)
        one, zero = [f.constant(x, "double", 1) for x in (1.0, 0.0)]

        def step(i: Value, now: Sequence[Value]) -> list[Value]:
            sign, log = now
            x = f.load(f.address(factors, f.let(f"mul {i}, {self._n + 1}", "i64", 1), "double"), "double", 1)
            row = f.load(f.address(rows, i, self._integer), self._integer, 1)
            number = i if self._integer == "i64" else f.cast("trunc", i, self._integer)
            stays = f.compare("eq", row, f.let(f"add {number}, 1", self._integer, 1))
            turned = f.binary("xor", f.compare("olt", x, zero), f.binary("xor", stays, f.constant(True, "i1", 1)))
            sign = f.select(turned, f.negative(sign), sign)
            found = f.call("log", "double", 1, f.intrinsic("fabs", x))
            return [sign, f.binary("fadd", log, found)]

        start, stop = f.constant(0, "i64", 1), f.constant(self._n, "i64", 1)
        sign, log = f.loop(start, stop, 1, [one, zero], step)
        regular = self._numbers.is_zero(f, info)
        return f.select(regular, sign, zero), f.select(regular, log, f.constant(-math.inf, "double", 1))

    def determinant(self, f: Function, a: Place) -> Value:
        """The determinant."""
        sign, log = self.sign_and_logarithm(f, a)
        return f.binary("fmul", sign, f.call("exp", "double", 1, log))
