"""Products of matrices and vectors by NumPy's own BLAS: which routine, and how operands are passed.

The choice is that of NumPy's `dot` (numpy/_core/src/common/cblasfuncs.c), so that results are the same to the last bit.
A small matrix times a small or a wide one is written out: a call of BLAS takes 0.1 µs at least, and 1.7 for a complex
one of 2 × 2 times 2 × 512, which takes 0.3 in a loop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from funcgrad.compile.native.blas import DOTS, LETTERS, blas
from funcgrad.compile.native.calls import others_running
from funcgrad.compile.native.ir import PARTS, TYPES, Function, Value
from funcgrad.compile.native.places import Place, by_rows, each, routine
from funcgrad.compile.native.sweeps import Access, Sweep
from funcgrad.core.tape import Equation
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import contract

_BY_ROWS, _BY_COLUMNS = 101, 102
_AS_IT_IS, _TRANSPOSED, _UPPER = 111, 112, 121
_MOST = 1 << 31  # elements: lengths fit the integers of every BLAS
_SMALL = 8  # rows and columns of what is written out
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


def product(f: Function, x: Place, y: Place, to: Place) -> None:
    """Write x @ y; its operands are passable, and its result has no gaps."""
    x = x if len(x.shape) > 1 else x._replace(shape=(1, *x.shape), strides=(0, *x.strides))
    y = y if len(y.shape) > 1 else y._replace(shape=(*y.shape, 1), strides=(*y.strides, 0))
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    shape = (*batch, x.shape[-2], y.shape[-1])
    to = to._replace(shape=shape, strides=by_rows(shape))
    square = not batch and y == x._replace(shape=x.shape[::-1], strides=x.strides[::-1])

    def write(f: Function, places: Sequence[Place]) -> None:
        each(f, batch, places, lambda ps: _single(_Calls(f, to.dtype), ps, square))

    with others_running(f, math.prod(to.shape) * x.shape[-1] >= _LONG):
        routine(f, "square" if square else "product", (x, y, to), write)


def _single(blas: _Calls, places: Sequence[Place], square: bool) -> None:
    """Write one product; a square is one with the same matrix, transposed."""
    a, b, to = places
    (m, k), n = a.shape, b.shape[1]
    if max(m, k) <= _SMALL and (n <= _SMALL or (m > 1 and b.strides[1] == 1)):
        _written_out(blas.f, a, b, to)
    elif m == n == 1:
        blas.dot(k, a, a.strides[1] if k > 1 else 1, b, b.strides[0] if k > 1 else 1, to)
    elif n == 1 < k:
        blas.gemv(_BY_ROWS if _way(a) == _AS_IT_IS else _BY_COLUMNS, _AS_IT_IS, a, b, b.strides[0], to)
    elif m == 1 < k:
        blas.gemv(_BY_ROWS if _way(b) == _AS_IT_IS else _BY_COLUMNS, _TRANSPOSED, b, a, a.strides[1], to)
    elif square and _way(a) != _way(b):
        blas.syrk(a, to)
    else:
        blas.gemm(a, b, to)


def _written_out(f: Function, a: Place, b: Place, to: Place) -> None:
    """Write a product as a loop over the columns of its result; the left matrix is in registers."""
    (m, k), n, start = a.shape, b.shape[1], a.pointer(f)
    places = [[f.constant(i * a.strides[0] + j * a.strides[1], "i64", 1) for j in range(k)] for i in range(m)]
    left = [[f.load(f.address(start, place, a.kind), a.kind, 1) for place in row] for row in places]
    arrays = {("b", j): _row(b, j) for j in range(k)} | {("to", i): _row(to, i) for i in range(m)}

    def body(sweep: Sweep) -> Sequence[Value]:
        right = [sweep.read(("b", j)) for j in range(k)]
        for i in range(m):
            sweep.write(("to", i), _inner(f, [f.splat(x, sweep.lanes) for x in left[i]], right))
        return ()

    Sweep(f, (n,), arrays).run(body)


def _row(p: Place, i: int) -> Access:
    return Access(
        p._replace(shape=p.shape[1:], strides=p.strides[1:], offset=p.offset + i * p.strides[0]), p.strides[1:]
    )


def _inner(f: Function, xs: Sequence[Value], ys: Sequence[Value]) -> Value:
    """The sum of products, with fused multiply-add as in BLAS; of complex numbers the sums of their four parts."""
    if xs[0].kind not in PARTS:
        total = f.binary("fmul", xs[0], ys[0])
        for x, y in zip(xs[1:], ys[1:], strict=True):
            total = f.intrinsic("fma", x, y, total)
        return total
    (xr, xi), (yr, yi) = [list(zip(*[f.parts(z) for z in zs], strict=True)) for zs in (xs, ys)]
    real = f.binary("fsub", _inner(f, xr, yr), _inner(f, xi, yi))
    return f.pair(real, f.binary("fadd", _inner(f, xr, yi), _inner(f, xi, yr)))


def _way(a: Place) -> int:
    """How BLAS has to take a matrix, if matrices lie row by row."""
    return _AS_IT_IS if _fits(*a.shape, *a.strides) else _TRANSPOSED


def _lead(a: Place) -> int:
    """How far the rows of a matrix, or else its columns, are apart."""
    (m, n), (down, right) = a.shape, a.strides
    if _way(a) == _AS_IT_IS:
        return down if m > 1 else n
    return right if n > 1 else m


class _Calls:
    """Calls of BLAS for numbers of one dtype."""

    def __init__(self, f: Function, dtype: np.dtype) -> None:
        found = blas()
        assert found is not None, "there is a BLAS"
        self.f, self._kind, self._letter, self._integer = f, TYPES[dtype], LETTERS[dtype], found.integer

    def dot(self, n: int, x: Place, step: int, y: Place, other: int, to: Place) -> None:
        """The inner product of two vectors."""
        given = self._arguments(n, x, step, y, other)
        if to.dtype.kind == "c":
            self.f.run(f"funcgrad.{DOTS[to.dtype]}", *given, to.pointer(self.f))
        else:
            self.f.store(self.f.call(f"funcgrad.{DOTS[to.dtype]}", self._kind, 1, *given), to.pointer(self.f))

    def gemv(self, order: int, way: int, a: Place, x: Place, step: int, to: Place) -> None:
        """A matrix, or its transposed, times a vector."""
        self._run("gemv", (order, way), *a.shape, 1.0, a, _lead(a), x, step, 0.0, to, 1)

    def gemm(self, a: Place, b: Place, to: Place) -> None:
        """A matrix times a matrix."""
        m, n, k = *to.shape, a.shape[1]
        self._run("gemm", (_BY_ROWS, _way(a), _way(b)), m, n, k, 1.0, a, _lead(a), b, _lead(b), 0.0, to, n)

    def syrk(self, a: Place, to: Place) -> None:
        """A matrix times its transposed: the upper half, and that copied to the lower one."""
        n, k = a.shape
        self._run("syrk", (_BY_ROWS, _UPPER, _way(a)), n, k, 1.0, a, _lead(a), 0.0, to, n)
        f, size, start = self.f, Value(str(n), "i64"), to.pointer(self.f)

        def row(i: Value, _: Sequence[Value]) -> list[Value]:
            def column(j: Value, _: Sequence[Value]) -> list[Value]:
                upper, lower = [
                    f.let(f"add {f.let(f'mul {p}, {n}', 'i64', 1)}, {q.text}", "i64", 1) for p, q in ((i, j), (j, i))
                ]
                x = f.load(f.address(start, upper, self._kind), self._kind, 1)
                f.store(x, f.address(start, lower, self._kind))
                return []

            f.loop(f.let(f"add {i}, 1", "i64", 1), size, 1, [], column)
            return []

        f.loop(Value("0", "i64"), size, 1, [], row)

    def _run(self, routine: str, ways: Sequence[int], *args: Place | float) -> None:
        given = [Value(str(w), "i32") for w in ways] + self._arguments(*args)
        self.f.run(f"funcgrad.{self._letter}{routine}", *given)

    def _arguments(self, *args: Place | float) -> list[Value]:
        """Arguments for BLAS: lengths, factors, and where arrays begin."""
        return [self._argument(a) for a in args]

    def _argument(self, a: Place | float) -> Value:
        if isinstance(a, Place):
            return a.pointer(self.f)
        if isinstance(a, int):
            return Value(str(a), self._integer)
        factor = self.f.constant(a, self._kind, 1)
        if self._kind not in PARTS:
            return factor
        name = f"factor.{self._kind}.{int(a)}"  # those that are complex come by reference
        self.f.module.declared[name] = f"@{name} = private constant {factor}"
        return Value(f"@{name}", "ptr")
