"""Roots of unity, each within half a unit in the last place or hardly more."""

from __future__ import annotations

import functools

import numpy as np


@functools.cache
def roots(n: int) -> np.ndarray:
    """exp(-2πi k / n) for each k below n.

    Angles are brought to the first eighth of the circle in integers, where sine and cosine are small errors of theirs
    in long doubles; so roots that are mirror images of each other are so to the last bit, and those on the axes exact.
    """
    k = 8 * np.arange(n)  # in parts of 8 n to the circle
    below = np.minimum(k, 8 * n - k)  # the axis of real numbers as mirror
    right = np.minimum(below, 4 * n - below)  # that of imaginary numbers
    eighth = np.minimum(right, 2 * n - right)  # that between them
    angle = np.arctan(np.longdouble(1)) * eighth / n
    cosine, sine = np.cos(angle), np.sin(angle)
    across = right > n
    made = np.empty(n, np.complex128)
    made.real = np.where(across, sine, cosine) * np.where(below > 2 * n, -1, 1)
    made.imag = np.where(across, cosine, sine) * np.where(k > 4 * n, 1, -1)
    made.setflags(write=False)
    return made
