"""Lengths for which a Fourier transform is fast: those with small prime factors only."""

from __future__ import annotations

from functools import cache
from operator import index

__all__ = ["next_fast_len"]


@cache
def next_fast_len(target: int, real: bool = False) -> int:
    """The least length from `target` on for which a Fourier transform is fast.

    Arguments:
        target: a positive integer.
        real: for a transform of real numbers, whose length should have no prime factor above 5; otherwise above 11.

    Raises:
        ValueError: target is not positive.

    Example:
        >>> from funcgrad.scipy.fft import next_fast_len
        >>> next_fast_len(1021), next_fast_len(1021, real=True)
        (1024, 1024)

    Source: scipy.fft.next_fast_len
        (https://docs.scipy.org/doc/scipy/reference/generated/scipy.fft.next_fast_len.html).
    """
    n = index(target)
    if n < 1:
        raise ValueError(f"next_fast_len: target must be positive, got {target}")
    factors = (2, 3, 5) if real else (2, 3, 5, 7, 11)
    while not _smooth(n, factors):
        n += 1
    return n


def _smooth(n: int, factors: tuple[int, ...]) -> bool:
    for p in factors:
        while n % p == 0:
            n //= p
    return n == 1
