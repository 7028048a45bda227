"""Products of matrices and vectors by NumPy's own BLAS: which routine, and how operands are passed.

The choice is that of NumPy's `dot` (numpy/_core/src/common/cblasfuncs.c), so that results are the same to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from funcgrad.compile.native.blas import LETTERS, blas
from funcgrad.compile.native.calls import others_running
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.places import Place
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract

_BY_ROWS, _BY_COLUMNS = 101, 102
_AS_IT_IS, _TRANSPOSED, _UPPER = 111, 112, 121
_MOST = 1 << 31  # elements: lengths fit the integers of every BLAS
_LONG = 1 << 22  # multiplications, a good part of a millisecond, during which other threads may run


def takes(e: Equation) -> bool:
    """Whether an equation is a product that BLAS carries out."""
    if e.primitive is not contract.matmul or e.dtype not in LETTERS or blas() is None:
        return False
    shapes = [tuple(shape_of(i)) for i in e.inputs]
    if any(dtype_of(i) != e.dtype for i in e.inputs):
        return False
    return all(0 < math.prod(s) < _MOST for s in (*shapes, e.shape))


def passable(p: Place) -> bool:
    """Whether BLAS takes an operand as it lies: its rows, or its columns, have no gaps within."""
    if len(p.shape) == 1:
        return p.shape[0] == 1 or p.strides[0] > 0
    (m, n), (s, t) = p.shape[-2:], p.strides[-2:]
    return _fits(m, n, s, t) or _fits(n, m, t, s)


def _fits(m: int, n: int, s: int, t: int) -> bool:
    """Whether m rows of n elements lie row by row."""
    return (n == 1 or t == 1) and (m == 1 or s >= n)


class _Matrix(NamedTuple):
    """A matrix, or a vector as a row or a column.

    Attributes:
        m, n: how many rows and columns.
        down, right: the strides.
        at: where it begins.
    """

    m: int
    n: int
    down: int
    right: int
    at: Value

    @property
    def way(self) -> int:
        """How BLAS has to take it, if matrices lie row by row."""
        return _AS_IT_IS if _fits(self.m, self.n, self.down, self.right) else _TRANSPOSED

    @property
    def lead(self) -> int:
        """How far the rows, or else the columns, are apart."""
        if self.way == _AS_IT_IS:
            return self.down if self.m > 1 else self.n
        return self.right if self.n > 1 else self.m


def product(f: Function, x: Place, y: Place, to: Place) -> None:
    """Write x @ y; its operands are passable, and its result has no gaps."""
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    strides = [p._replace(shape=p.shape[:-2], strides=p.strides[:-2]).within(batch) for p in (x, y)]
    strides.append(to.strides[: len(batch)])

    def walk(k: int, at: Sequence[Value]) -> None:
        if k == len(batch):
            a, b = _matrix(x, at[0], 0), _matrix(y, at[1], 1)
            square = (x.memory, x.offset, x.shape[::-1], x.strides[::-1]) == (y.memory, y.offset, y.shape, y.strides)
            _single(_Calls(f, to), a, b, at[2], square and not batch)
            return

        def step(i: Value, _: Sequence[Value]) -> list[Value]:
            walk(k + 1, [_forward(f, p, i, s[k], to.kind) for p, s in zip(at, strides, strict=True)])
            return []

        f.loop(Value("0", "i64"), Value(str(batch[k]), "i64"), 1, [], step)

    with others_running(f, math.prod(to.shape) * x.shape[-1] >= _LONG):
        walk(0, [p.pointer(f) for p in (x, y, to)])


def _matrix(p: Place, at: Value, axis: int) -> _Matrix:
    """An operand as a matrix; a vector gets a new axis."""
    shape, strides = p.shape[-2:], p.strides[-2:]
    if len(shape) == 1:
        shape, strides = (*shape[:axis], 1, *shape[axis:]), (*strides[:axis], 0, *strides[axis:])
    return _Matrix(shape[0], shape[1], strides[0], strides[1], at)


def _forward(f: Function, p: Value, i: Value, stride: int, kind: str) -> Value:
    """The pointer to the i-th part."""
    return f.address(p, f.let(f"mul {i}, {stride}", "i64", 1), kind) if stride else p


def _single(blas: _Calls, a: _Matrix, b: _Matrix, to: Value, square: bool) -> None:
    """Write one product; a square is one with the transposed of the same matrix."""
    m, k, n = a.m, a.n, b.n
    if m == n == 1:
        blas.dot(k, a.at, a.right if k > 1 else 1, b.at, b.down if k > 1 else 1, to)
    elif n == 1 < k:
        blas.gemv(_BY_ROWS if a.way == _AS_IT_IS else _BY_COLUMNS, _AS_IT_IS, a, b.at, b.down, to)
    elif m == 1 < k:
        blas.gemv(_BY_ROWS if b.way == _AS_IT_IS else _BY_COLUMNS, _TRANSPOSED, b, a.at, a.right, to)
    elif square and a.way != b.way:
        blas.syrk(a, to)
    else:
        blas.gemm(a, b, to)


class _Calls:
    """Calls of BLAS for numbers of one dtype."""

    def __init__(self, f: Function, of: Place) -> None:
        found = blas()
        assert found is not None, "there is a BLAS"
        self.f, self.kind, self._letter, self._integer = f, of.kind, LETTERS[of.dtype], found.integer
        self._one, self._zero = f.constant(1.0, of.kind, 1), f.constant(0.0, of.kind, 1)

    def dot(self, n: int, x: Value, step: int, y: Value, other: int, to: Value) -> None:
        """The inner product of two vectors."""
        lengths = self._lengths(n, step, other)
        self.f.store(
            self.f.call(f"funcgrad.{self._letter}dot", self.kind, 1, lengths[0], x, lengths[1], y, lengths[2]), to
        )

    def gemv(self, order: int, way: int, a: _Matrix, x: Value, step: int, to: Value) -> None:
        """A matrix, or its transposed, times a vector."""
        m, n, lead, step_x, step_y = self._lengths(a.m, a.n, a.lead, step, 1)
        given = (*_ways(order, way), m, n, self._one, a.at, lead, x, step_x, self._zero, to, step_y)
        self.f.run(f"funcgrad.{self._letter}gemv", *given)

    def gemm(self, a: _Matrix, b: _Matrix, to: Value) -> None:
        """A matrix times a matrix."""
        m, n, k, lead_a, lead_b, lead = self._lengths(a.m, b.n, a.n, a.lead, b.lead, b.n)
        given = (*_ways(_BY_ROWS, a.way, b.way), m, n, k, self._one, a.at, lead_a, b.at, lead_b, self._zero, to, lead)
        self.f.run(f"funcgrad.{self._letter}gemm", *given)

    def syrk(self, a: _Matrix, to: Value) -> None:
        """A matrix times its transposed: the upper half, and that copied to the lower one."""
        f = self.f
        n, k, lead, lead_to = self._lengths(a.m, a.n, a.lead, a.m)
        given = (*_ways(_BY_ROWS, _UPPER, a.way), n, k, self._one, a.at, lead, self._zero, to, lead_to)
        f.run(f"funcgrad.{self._letter}syrk", *given)
        size = Value(str(a.m), "i64")

        def row(i: Value, _: Sequence[Value]) -> list[Value]:
            def column(j: Value, _: Sequence[Value]) -> list[Value]:
                upper, lower = [
                    f.let(f"add {f.let(f'mul {p}, {a.m}', 'i64', 1)}, {q.text}", "i64", 1) for p, q in ((i, j), (j, i))
                ]
                f.store(f.load(f.address(to, upper, self.kind), self.kind, 1), f.address(to, lower, self.kind))
                return []

            f.loop(f.let(f"add {i}, 1", "i64", 1), size, 1, [], column)
            return []

        f.loop(Value("0", "i64"), size, 1, [], row)

    def _lengths(self, *numbers: int) -> list[Value]:
        return [Value(str(n), self._integer) for n in numbers]


def _ways(*ways: int) -> list[Value]:
    """The choices that BLAS gives."""
    return [Value(str(w), "i32") for w in ways]
