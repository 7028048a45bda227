"""Which lengths are transformed, and by which radices: few passes over memory, each of what registers hold."""

from __future__ import annotations

import functools

LARGEST_PRIME = 13
"""Transforms of a prime take time like its square; NumPy has another way for large ones."""
_MOST = 8  # numbers that registers hold. By 16 a pass less is no faster, and LLVM takes twice as long for the code


@functools.cache
def radices(n: int) -> tuple[int, ...] | None:
    """Factors of a length, the smallest first; None if it has a larger prime factor."""
    primes, rest = [], n
    for p in range(2, LARGEST_PRIME + 1):
        while rest % p == 0:
            primes.append(p)
            rest //= p
    if rest > 1:
        return None
    found: list[int] = []
    for p in reversed(primes):
        k = next((k for k, r in enumerate(found) if r * p <= _MOST), None)
        if k is None:
            found.append(p)
        else:
            found[k] *= p
    return _even(found)


def _even(found: list[int]) -> tuple[int, ...]:
    """The same with powers of two in factors that are alike: 4 and 4, not 8 and 2."""
    twos = [r for r in found if r & (r - 1) == 0]
    bits = sum([r.bit_length() - 1 for r in twos])
    parts = [1 << (bits * (k + 1) // len(twos) - bits * k // len(twos)) for k in range(len(twos))]
    return tuple(sorted([*parts, *[r for r in found if r & (r - 1)]]))
