"""Short Fourier transforms in registers: of what one step of a pass reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from funcgrad.compile.native.fourier.roots import roots
from funcgrad.compile.native.ir import Function, Value

Pair = tuple[Value, Value]
"""Complex numbers, by their real and their imaginary parts."""


def transform(f: Function, n: int, read: Callable[[int], Pair], write: Callable[[int, Pair], None]) -> None:
    """Write the transform of n complex numbers in each lane: sums of x[j] exp(-2πi j k / n).

    Arguments:
        f, n: the function to write to, and how many numbers.
        read, write: write what gives the j-th number, and what takes the k-th result. Each is asked when it is its
            turn, for registers do not hold all.
    """
    a = 1 if n == 4 else next((p for p in (4, 2, 3, 5) if n % p == 0 and p < n), 1)
    if a == 1:
        xs = [read(j) for j in range(n)]
        for k, z in enumerate(_of_four(f, xs) if n == 4 else _of_two(f, xs) if n == 2 else _odd(f, xs)):
            write(k, z)
        return
    b = n // a  # transforms of a numbers, and a transforms of b numbers of these
    columns = [_transformed(f, [read(b * i + j) for i in range(a)]) for j in range(b)]
    for k in range(a):
        row = [_by_root(f, column[k], j * k, n) for j, column in enumerate(columns)]
        for i, z in enumerate(_transformed(f, row)):
            write(k + a * i, z)


def _transformed(f: Function, xs: Sequence[Pair]) -> list[Pair]:
    """The transform of numbers that are there."""
    found = dict[int, Pair]()
    transform(f, len(xs), xs.__getitem__, found.__setitem__)
    return [found[k] for k in range(len(xs))]


def _of_two(f: Function, xs: Sequence[Pair]) -> list[Pair]:
    return [plus(f, *xs), minus(f, *xs)]


def _of_four(f: Function, xs: Sequence[Pair]) -> list[Pair]:
    even, odd = (plus(f, xs[0], xs[2]), minus(f, xs[0], xs[2])), (plus(f, xs[1], xs[3]), minus(f, xs[1], xs[3]))
    turned = _by_minus_i(f, odd[1])
    return [plus(f, even[0], odd[0]), plus(f, even[1], turned), minus(f, even[0], odd[0]), minus(f, even[1], turned)]


def _odd(f: Function, xs: Sequence[Pair]) -> list[Pair]:
    """By the definition; of numbers that lie opposite to each other, sums meet cosines, and differences sines."""
    n, opposite = len(xs), range(1, len(xs) // 2 + 1)
    sums = [plus(f, xs[j], xs[n - j]) for j in opposite]
    differences = [minus(f, xs[j], xs[n - j]) for j in opposite]
    made = [xs[0]] * n
    for s in sums:
        made[0] = plus(f, made[0], s)
    for k in opposite:
        factors = [roots(n)[j * k % n] for j in opposite]
        u, v = xs[0], _by_number(f, differences[0], factors[0].imag)
        for w, s in zip(factors, sums, strict=True):
            u = _by_number(f, s, w.real, u)
        for w, d in zip(factors[1:], differences[1:], strict=True):
            v = _by_number(f, d, w.imag, v)
        turned = _by_minus_i(f, v)
        made[k], made[n - k] = minus(f, u, turned), plus(f, u, turned)
    return made


def _by_number(f: Function, x: Pair, c: float, y: Pair | None = None) -> Pair:
    """A real number times x, and y added to it."""
    factor = f.like(c, x[0])
    if y is None:
        return f.binary("fmul", x[0], factor), f.binary("fmul", x[1], factor)
    return f.intrinsic("fma", x[0], factor, y[0]), f.intrinsic("fma", x[1], factor, y[1])


def plus(f: Function, x: Pair, y: Pair) -> Pair:
    """x + y."""
    return f.binary("fadd", x[0], y[0]), f.binary("fadd", x[1], y[1])


def minus(f: Function, x: Pair, y: Pair) -> Pair:
    """x - y."""
    return f.binary("fsub", x[0], y[0]), f.binary("fsub", x[1], y[1])


def times(f: Function, x: Pair, w: Pair) -> Pair:
    """x w."""
    re = f.intrinsic("fma", x[0], w[0], f.negative(f.binary("fmul", x[1], w[1])))
    return re, f.intrinsic("fma", x[0], w[1], f.binary("fmul", x[1], w[0]))


def _by_minus_i(f: Function, x: Pair) -> Pair:
    return x[1], f.negative(x[0])


def _by_root(f: Function, x: Pair, k: int, n: int) -> Pair:
    """x exp(-2πi k / n)."""
    quarters, rest = divmod(8 * (k % n), 2 * n)
    if rest == n:  # an eighth of the circle
        x = _by_number(f, (f.binary("fadd", x[0], x[1]), f.binary("fsub", x[1], x[0])), roots(8)[1].real)
    elif rest:
        w = roots(n)[k % n]
        return times(f, x, (f.like(w.real, x[0]), f.like(w.imag, x[0])))
    for _ in range(quarters):
        x = _by_minus_i(f, x)
    return x
