"""Random bits: the rounds of funcgrad/ops/random_bits.py on words of 32 bits."""

from __future__ import annotations

from funcgrad.compile.native.ir import Function, Value
from funcgrad.ops.random_bits import PARITY, ROTATIONS


def threefry2x32(f: Function, key: Value, count: Value) -> Value:
    """A counter, encrypted with a key: both are pairs of words, the first in the upper half."""
    return f.shared("threefry2x32", _encrypted, key, count)


def _encrypted(f: Function, key: Value, count: Value) -> Value:
    (k0, k1), (x, y) = _words(f, key), _words(f, count)
    schedule = (k0, k1, f.binary("xor", f.binary("xor", k0, k1), f.like(PARITY, k0)))
    x, y = f.binary("add", x, k0), f.binary("add", y, k1)
    for i in range(5):
        for places in ROTATIONS[i % 2]:
            x = f.binary("add", x, y)
            y = f.binary("xor", f.intrinsic("fshl", y, y, f.like(places, y)), x)
        x = f.binary("add", x, schedule[(i + 1) % 3])
        y = f.binary("add", y, f.binary("add", schedule[(i + 2) % 3], f.like(i + 1, y)))
    upper = f.binary("shl", f.cast("zext", x, "i64"), f.like(32, key))
    return f.binary("or", upper, f.cast("zext", y, "i64"))


def _words(f: Function, pair: Value) -> tuple[Value, Value]:
    return f.cast("trunc", f.binary("lshr", pair, f.like(32, pair)), "i32"), f.cast("trunc", pair, "i32")
