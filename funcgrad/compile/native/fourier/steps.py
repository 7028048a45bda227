"""Fourier transforms as steps of plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.calls import others_running
from funcgrad.compile.native.fourier import transforms
from funcgrad.compile.native.fourier.transforms import LONG, Transform
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.places import Make, Place, Room, Write
from funcgrad.compile.native.sweeps import copy
from funcgrad.core.tape import Equation
from funcgrad.ops import fft

_LARGEST = 1 << 16  # elements; threads may have something to do of more


def takes(e: Equation) -> bool:
    """Whether an equation is a transform that a step carries out."""
    return math.prod(e.shape) <= _LARGEST and transforms.takes(e)


def transformed(e: Equation, given: Sequence[Any], to: Sequence[Place], room: Room) -> Write:
    """A transform along one axis, of an operand without gaps."""
    x, t = given[0], Transform(e)
    whole = x if x.strides == x.rows else room(x.shape, x.dtype)
    own = room((-(-t.room // 8),), np.float64)

    def write(f: Function) -> None:
        t.write(f.module)
        if whole is not x:
            copy(f, whole, x)
        with others_running(f, t.work >= LONG):
            ends = Value("0", "i64"), Value(str(t.batches), "i64")
            f.run(t.name, whole.pointer(f), to[0].pointer(f), own.pointer(f), *ends)

    return write


TRANSFORMS: dict[Any, Make] = dict.fromkeys((fft.fft, fft.ifft, fft.rfft, fft.irfft), transformed)
"""For each primitive what makes room for it and gives what writes it."""
