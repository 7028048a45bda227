"""Residuals of models in Fourier space: what is measured is compared there, where the model is known.

Of a convolution that is to fit something, the residual is a transform back less what was measured, and its derivative
begins with a transform of the residual. That is the difference of the spectra; and the sum of the squares of the
residual is that of the absolute squares of the bins, by Parseval's theorem. So nobody needs the transform back. An
infinity in the residual makes the sum nan.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, readers, rewrite, with_any
from funcgrad.core.array import raw
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import elementwise, fft
from funcgrad.ops.reduce import reduce_sum, reduced_shape

_DEEP = 32  # operations back to spectra of real numbers
_ROUNDING = 64  # units in the last place of the largest bin
_LINEAR = (elementwise.add, elementwise.subtract)
Readers = dict[Equation, list[Equation]]


@with_any(fft.irfft)
def residuals(tape: Tape) -> Tape:
    """The tape without transforms back that are only compared with something."""
    kept = {o for o in (*tape.outputs, *tape.effects) if type(o) is Equation}
    read_by = readers(tape.equations)
    for e in tape.equations:
        if e.primitive is fft.irfft and e not in kept:
            found = _found(e, read_by, kept)
            if found:
                return residuals(rewrite(tape, functools.partial(_replaced, found)))
    return tape


def _replaced(found: dict[Equation, Any], e: Equation, _: tuple) -> Any:
    return found.get(e)


class _Back(NamedTuple):
    """A transform back.

    Attributes:
        spectrum: of what.
        steps: the transforms along one axis, the last one first.
        lengths: of the axes.
    """

    spectrum: Any
    steps: list[Equation]
    lengths: dict[int, int]

    @property
    def last(self) -> int:
        """The axis of which half of the bins are there."""
        return self.steps[0].params["axis"]

    def forth(self, x: Any, before: Equation) -> Any:
        """The transform of x whose inverse this is."""
        for s, goal in zip(self.steps, [s.inputs[0] for s in self.steps], strict=True):
            p = fft.rfft if s.primitive is fft.irfft else fft.fft
            x = between(p, before, (x,), shape_of(goal), np.dtype(dtype_of(goal)), **s.params)
        return x


def _back(e: Equation) -> _Back | None:
    """The transform back that ends in an equation, if it neither cuts nor fills up."""
    steps, lengths, x = [e], {e.params["axis"]: e.params["n"]}, e.inputs[0]
    if shape_of(x)[e.params["axis"]] != e.params["n"] // 2 + 1:
        return None
    while type(x) is Equation and x.primitive is fft.ifft and x.params["axis"] not in lengths:
        if shape_of(x.inputs[0]) != x.shape:
            return None
        steps.append(x)
        lengths[x.params["axis"]] = x.params["n"]
        x = x.inputs[0]
    return _Back(x, steps, lengths)


def _found(j: Equation, read_by: Readers, kept: set[Equation]) -> dict[Equation, Any] | None:
    """What takes the places of sums of squares and transforms of a residual; None if it is read otherwise, too."""
    back = _back(j)
    if back is None or not _of_real(back.spectrum, back, _DEEP):
        return None
    residual, bins = j, back.spectrum
    if len(read_by.get(j, ())) == 1 and read_by[j][0].primitive in _LINEAR:
        residual = read_by[j][0]
        if any(shape_of(i) != j.shape or dtype_of(i) != j.dtype for i in residual.inputs):
            return None
        spectra = [bins if i is j else back.forth(i, residual) for i in residual.inputs]
        bins = between(residual.primitive, residual, tuple(spectra), bins.shape, bins.dtype)
    ends = _ends(residual, back, read_by, kept)
    if not ends or all(e.primitive is reduce_sum for e in ends):
        return None
    return {
        e: _power(e, x, bins, back) if e.primitive is reduce_sum else _scaled(e, x, bins, back) for e, x in ends.items()
    }


def _ends(residual: Equation, back: _Back, read_by: Readers, kept: set[Equation]) -> dict[Equation, float] | None:
    """Where all that is made of a residual ends: in sums of squares, and in transforms; of how many times it."""
    found: dict[Equation, float] = {}
    waiting = [(residual, 1.0)]
    while waiting:
        x, factor = waiting.pop()
        if x in kept:
            return None
        for e in read_by.get(x, ()):
            times = _times(e, x)
            if times is not None:
                waiting.append((e, factor * times))
                continue
            ends = _sums(e, back, read_by, kept) if _squares(e, x) else _forth(e, back, read_by, kept)
            if not ends:
                return None
            found |= dict.fromkeys(ends, factor)
    return found


def _squares(e: Equation, x: Equation) -> bool:
    """Whether an operation gives the squares of x."""
    return e.primitive is elementwise.square or (e.primitive is elementwise.multiply and all(i is x for i in e.inputs))


def _times(e: Equation, x: Equation) -> float | None:
    """By which number an operation multiplies; None if it does something else."""
    if e.primitive is elementwise.negative:
        return -1.0
    if e.primitive not in (elementwise.multiply, elementwise.divide) or e.inputs[0] is e.inputs[1]:
        return None
    if e.shape != x.shape or e.dtype != x.dtype or (e.primitive is elementwise.divide and e.inputs[0] is not x):
        return None
    y = e.inputs[1 if e.inputs[0] is x else 0]
    if type(y) is Equation:
        return None
    numbers = np.asarray(raw(y))
    if numbers.dtype.kind not in "fiu" or not numbers.size or not (numbers == numbers.flat[0]).all():
        return None
    number = float(numbers.flat[0])
    return number if e.primitive is elementwise.multiply else 1 / number if number else None


def _sums(e: Equation, back: _Back, read_by: Readers, kept: set[Equation]) -> list[Equation] | None:
    """The sums of squares, if all that reads these adds them up along the axes that are transformed."""
    found = read_by.get(e, [])
    fine = e not in kept and all(r.primitive is reduce_sum and not r.params.get("dtype") for r in found)
    return found if fine and all(set(back.lengths) <= set(r.params["axis"]) for r in found) else None


def _forth(e: Equation, back: _Back, read_by: Readers, kept: set[Equation]) -> list[Equation] | None:
    """The transform that an equation begins, if it is along all axes of the one back."""
    left = {k: n for k, n in back.lengths.items() if k != back.last}
    if e.primitive is not fft.rfft or e.params["axis"] != back.last or e.params["n"] != back.lengths[back.last]:
        return None
    while left:
        if e in kept or len(read_by.get(e, ())) != 1:
            return None
        (e,) = read_by[e]
        if e.primitive is not fft.fft or left.pop(e.params["axis"], None) != e.params["n"]:
            return None
    return [e]


def _of_real(x: Any, back: _Back, depth: int) -> bool:
    """Whether bins are those of an array of real numbers, so that a transform back and forth gives them again."""
    if not shape_of(x) and np.dtype(dtype_of(x)).kind != "c":
        return True  # one real number, which changes all bins alike
    if type(x) is not Equation:
        return _is_mirrored(np.asarray(raw(x)), back)
    if not depth or x.shape != back.spectrum.shape:
        return False
    if x.primitive in (*_LINEAR, elementwise.multiply, elementwise.conjugate, elementwise.negative):
        return all(_of_real(i, back, depth - 1) for i in x.inputs)
    left = dict(back.lengths)
    while type(x) is Equation and x.primitive is fft.fft and x.params["axis"] != back.last:
        if left.pop(x.params["axis"], None) != x.params["n"]:
            return False
        x = x.inputs[0]
    return type(x) is Equation and x.primitive is fft.rfft and left == {x.params["axis"]: x.params["n"]}


def _is_mirrored(x: np.ndarray, back: _Back) -> bool:
    """Whether constants, perhaps stretched, are bins of an array of real numbers but for rounding."""
    if x.dtype.kind not in "fc" or not np.isfinite(x).all():
        return False
    now = whole = np.broadcast_to(x, back.spectrum.shape)
    for s in reversed(back.steps):
        now = s.primitive.impl(now, **s.params)
    for s in back.steps:
        now = (np.fft.rfft if s.primitive is fft.irfft else np.fft.fft)(now, **s.params)
    most = np.max(np.abs(whole), initial=0)
    return bool((np.abs(now - whole) <= _ROUNDING * np.finfo(x.dtype).eps * most).all())


def _scaled(e: Equation, factor: float, bins: Any, back: _Back) -> Equation:
    """A transform of so many times the residual, of the bins of the residual."""
    steps, x = [e], e
    while x.primitive is not fft.rfft:
        x = x.inputs[0]
        steps.append(x)
    return applied(elementwise.multiply, e, factor * _scale(steps) / _scale(back.steps), bins)


def _scale(steps: list[Equation]) -> float:
    """What normalisations of these names multiply a transform forth by."""
    powers = {"backward": 0.0, "ortho": -0.5, "forward": -1.0}
    return math.prod([s.params["n"] ** powers[s.params["norm"]] for s in steps])


def _power(e: Equation, factor: float, bins: Any, back: _Back) -> Equation:
    """A sum of squares of so many times the residual, of its bins: those between the first and the last count twice."""
    real, half = np.dtype(bins.dtype.char.lower()), back.lengths[back.last]
    weights = np.full(half // 2 + 1, 2.0)
    weights[0] = 1
    if half % 2 == 0:
        weights[-1] = 1
    weights *= (factor / _scale(back.steps)) ** 2 / math.prod(back.lengths.values())
    rank, rows = len(bins.shape), tuple([a for a in e.params["axis"] if a != back.last])
    sums = []
    for part in (elementwise.real, elementwise.imag):
        x = between(part, e, (bins,), bins.shape, real)
        x = between(elementwise.square, e, (x,), bins.shape, real)
        if rows:
            shape = reduced_shape(bins.shape, rows, True)
            x = between(reduce_sum, e, (x,), shape, real, axis=rows, keepdims=True)
        sums.append(x)
    power = between(elementwise.add, e, tuple(sums), sums[0].shape, real)
    weights = weights.astype(real).reshape((-1,) + (1,) * (rank - 1 - back.last))
    weighted = between(elementwise.multiply, e, (power, weights), power.shape, real)
    return applied(reduce_sum, e, weighted, **e.params)


__all__ = ["residuals"]
