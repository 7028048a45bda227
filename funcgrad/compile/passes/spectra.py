"""Spectra: what is conjugated, transformed and conjugated back is transformed the other way.

The derivative of a convolution by rfft and irfft is full of that: the transposes of real transforms conjugate, and
weigh the bins that stand for two by a half or two. The conjugate of a transform of a conjugate is the inverse
transform, scaled the other way, and weights along one axis go through a transform along another one.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, reads, rewrite, with_any, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import dtype_of, shape_of
from funcgrad.ops import elementwise, fft

_BACK = {fft.fft: fft.ifft, fft.ifft: fft.fft}
_TRANSFORMS = (fft.fft, fft.ifft, fft.rfft, fft.irfft)
_DEEP = 16  # operations between the two conjugates


@with_any(*_TRANSFORMS)
def spectra(tape: Tape) -> Tape:
    """The tape with fewer conjugates and weights around Fourier transforms."""
    return rewrite(tape, functools.partial(_rule, reads(tape)))


def _rule(counts: dict[Any, int], e: Equation, inputs: tuple) -> Any:
    new = with_inputs(e, inputs)
    found = None
    if e.primitive is elementwise.conjugate and new.dtype.kind == "c":
        found = _without_conjugates(counts, new)
    elif e.primitive is elementwise.multiply and new.dtype.kind == "c":
        found = _without_weights(new)
    found = new if found is None else found
    counts[found] = max(counts.get(e, 0), counts.get(found, 0))
    return None if found is e else found


def _without_conjugates(counts: dict[Any, int], e: Equation) -> Equation | None:
    """The conjugate of what was computed of a conjugate, computed of that number itself, and its weights after all."""
    steps = _since_conjugate(counts, e.inputs[0], _DEEP)
    if steps is None:
        return None
    x = steps[0][0].inputs[0]
    if not any(e.primitive in _TRANSFORMS for e in (x, *[step for step, _ in steps])):
        return None
    weights: list[Any] = []
    for step, k in steps[1:]:
        if step.primitive in _BACK:
            norm = fft.SWAPPED[step.params["norm"]]
            x = between(_BACK[step.primitive], e, (x,), step.shape, step.dtype, **{**step.params, "norm": norm})
            continue
        factor = step.inputs[1 - k]
        if _is_weights(factor) and not _varies(factor, step, [s for s, _ in steps if s.primitive in _BACK]):
            weights.append(factor)
            continue
        if dtype_of(factor).kind == "c":
            factor = between(elementwise.conjugate, e, (factor,), shape_of(factor), np.dtype(dtype_of(factor)))
        x = between(elementwise.multiply, e, (x, factor), step.shape, step.dtype)
    for w in weights:
        x = between(elementwise.multiply, e, (x, w), e.shape, e.dtype)
    return x


def _since_conjugate(counts: dict[Any, int], x: Any, depth: int) -> list[tuple[Equation, int]] | None:
    """The operations from a conjugate to x, and which of their operands comes from it; None if there is none."""
    if type(x) is not Equation or x.plan is None or not depth or counts.get(x) != 1:
        return None
    if x.primitive is elementwise.conjugate:
        return [(x, 0)] if type(x.inputs[0]) is Equation else None
    if x.primitive not in (*_BACK, elementwise.multiply):
        return None
    for k, i in enumerate(x.inputs):
        if shape_of(i) == x.shape or x.primitive in _BACK:
            steps = _since_conjugate(counts, i, depth - 1)
            if steps is not None:
                return [*steps, (x, k)]
    return None


def _is_weights(x: Any) -> bool:
    """Whether a constant is one half, one or two everywhere, by which a number is multiplied without rounding."""
    return isinstance(x, np.ndarray) and x.dtype.kind == "f" and bool(np.isin(x, (0.5, 1.0, 2.0)).all())


def _varies(weights: np.ndarray, e: Equation, transforms: list[Equation]) -> bool:
    """Whether weights of e differ along an axis of one of the transforms."""
    shape = (1,) * (len(e.shape) - weights.ndim) + weights.shape
    return any(shape[t.params["axis"]] != 1 for t in transforms)


def _without_weights(e: Equation) -> Any:
    """Two weights one after the other as one, or as none."""
    for k, w in enumerate(e.inputs):
        x = e.inputs[1 - k]
        if not _is_weights(w) or type(x) is not Equation or x.primitive is not elementwise.multiply:
            continue
        for j, v in enumerate(x.inputs):
            y = x.inputs[1 - j]
            if _is_weights(v) and v.shape == w.shape and shape_of(y) == e.shape and dtype_of(y) == e.dtype:
                return y if np.all(v * w == 1) else applied(elementwise.multiply, e, y, v * w)
    return None


__all__ = ["spectra"]
