"""Transforms of real numbers by those of complex ones, in the memory of a batch of lines.

A line of an even number is a complex line of half the length: its transform is taken apart into those of the numbers at
even and at odd places, which are put together. A line of an odd number is a complex line without imaginary parts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from funcgrad.compile.native.fourier.butterflies import Pair, minus, plus, times
from funcgrad.compile.native.fourier.passes import Scratch, constants, load_factor, number
from funcgrad.compile.native.fourier.roots import roots
from funcgrad.compile.native.ir import Function, Value


def put_together(f: Function, n: int, z: Scratch) -> None:
    """The n // 2 + 1 first bins of real lines, of the transform of lines of half the length."""
    half = n // 2
    re, im = z.load()
    zero = f.like(0.0, re)
    z.store((f.binary("fsub", re, im), zero), half)
    z.store((f.binary("fadd", re, im), zero))

    def pair(x: Pair, y: Pair, w: Pair) -> tuple[Pair, Pair]:
        y = conjugate(f, y)
        half, v = f.like(0.5, re), times(f, minus(f, x, y), w)
        t = plus(f, x, y)
        first = f.intrinsic("fma", t[0], half, v[0]), f.intrinsic("fma", t[1], half, v[1])
        last = [f.intrinsic("fma", p, half, f.negative(q)) for p, q in zip(t, v, strict=True)]
        return first, conjugate(f, (last[0], last[1]))

    _pairs(f, n, z, pair, -0.5j)
    if half % 2 == 0:
        z.store(conjugate(f, z.load(half // 2)), half // 2)


def take_apart(f: Function, n: int, z: Scratch) -> None:
    """What `put_together` was given, twice, with real and imaginary parts in each other's places."""
    half = n // 2
    (x, _), (y, _) = z.load(), z.at(number(half)).load()
    z.store((f.binary("fsub", x, y), f.binary("fadd", x, y)))

    def pair(x: Pair, y: Pair, w: Pair) -> tuple[Pair, Pair]:
        y = conjugate(f, y)
        t, v = plus(f, x, y), times(f, minus(f, x, y), conjugate(f, w))
        return swapped(plus(f, t, v)), swapped(conjugate(f, minus(f, t, v)))

    _pairs(f, n, z, pair, -1j)
    if half % 2 == 0:
        middle = z.at(number(half // 2))
        re, im = middle.load()
        middle.store((f.binary("fmul", im, f.like(-2.0, im)), f.binary("fadd", re, re)))


def mirror(f: Function, n: int, z: Scratch) -> None:
    """All n bins of real lines, of the first ones, with real and imaginary parts in each other's places."""
    re, _ = z.load()
    z.store((f.like(0.0, re), re))

    def step(k: Value, _: Sequence[Value]) -> list[Value]:
        here, there = z.at(k), z.at(f.let(f"sub i64 {n}, {k.text}", "i64", 1))
        x = here.load()
        here.store(swapped(x))
        there.store(swapped(conjugate(f, x)))
        return []

    f.loop(number(1), number(n // 2 + 1), 1, [], step)


def conjugate(f: Function, x: Pair) -> Pair:
    """The conjugate of x."""
    return x[0], f.negative(x[1])


def swapped(x: Pair) -> Pair:
    """x with its parts in each other's places: a transform of such numbers is the inverse one, with parts so, too."""
    return x[1], x[0]


def _pairs(
    f: Function, n: int, z: Scratch, write: Callable[[Pair, Pair, Pair], tuple[Pair, Pair]], scale: complex
) -> None:
    """Change the bins k and n / 2 - k together, for each k between 0 and n / 4, with a factor that is scaled."""
    half = n // 2
    count = (half + 1) // 2
    table = constants(f.module, f"fourier.halves.{n}.{abs(scale)}.{z.kind}", scale * roots(n)[:count], z.kind)

    def step(k: Value, _: Sequence[Value]) -> list[Value]:
        here, there = z.at(k), z.at(f.let(f"sub i64 {half}, {k.text}", "i64", 1))
        row = f.address(table, f.let(f"mul {k}, 2", "i64", 1), z.kind)
        first, last = write(here.load(), there.load(), load_factor(f, row, z.kind, 0))
        here.store(first)
        there.store(last)
        return []

    f.loop(number(1), number(count), 1, [], step)
