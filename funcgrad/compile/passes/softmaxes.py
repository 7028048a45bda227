"""Softmaxes: softmax, its logarithm and logsumexp are plain operations, of which the exponentials are computed once.

The derivative of logsumexp is exp(x - logsumexp(x)), and that of the logarithm of softmax contains exp(log_softmax(x)).
Both are exponentials that are there already, divided by their sum. That sum is 1 at least, for one of its terms is
exp(0), except where a row is -inf everywhere: its logsumexp is -inf, and the derivative of that is 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise as ew
from funcgrad.ops import reduce, structural


@dataclass
class _Rows:
    """The exponentials of x minus a number for each row, and their sums; axes are kept."""

    x: Equation
    powers: Equation
    total: Equation


def softmaxes(tape: Tape) -> Tape:
    """The tape with these primitives as plain operations."""
    if tape.primitives.isdisjoint(_EXPANDED):
        return tape
    return rewrite(tape, _Softmaxes().rule)


class _Softmaxes:
    """What the rule has seen so far.

    Attributes:
        shifted: the rows of which something is the logarithm of the softmax.
        logarithms: the rows of which something is the logsumexp.
        bounded: the rows of which something is the logsumexp, or the least number where that is -inf.
    """

    def __init__(self) -> None:
        self.shifted: dict[Any, _Rows] = {}
        self.logarithms: dict[Any, _Rows] = {}
        self.bounded: dict[Any, _Rows] = {}

    def rule(self, e: Equation, inputs: tuple) -> Any:
        p, x = e.primitive, inputs[0] if inputs else None
        if type(x) is not Equation:
            return None
        if p in _EXPANDED:
            if x.dtype != e.dtype or x.dtype.char not in "fd" or not math.prod(x.shape):
                return None
            found, rows = _EXPANDED[p](e, x)
            if p is not reduce.softmax:
                (self.logarithms if p is reduce.logsumexp else self.shifted)[found] = rows
            return found
        if p is structural.reshape:
            for known in (self.logarithms, self.bounded):
                if x in known and known[x].total.shape == e.shape:
                    made = with_inputs(e, inputs)
                    known[made] = known[x]
                    return made
        if p is ew.maximum and x in self.logarithms and inputs[1] == np.finfo(x.dtype).min:
            made = with_inputs(e, inputs)
            self.bounded[made] = self.logarithms[x]
            return made
        return self._quotient(e, x) if p is ew.exp else None

    def _quotient(self, e: Equation, x: Equation) -> Equation | None:
        """The exponential of a logarithm of a softmax."""
        if x in self.shifted:
            rows = self.shifted[x]
            return applied(ew.divide, e, rows.powers, rows.total)
        a, b = x.inputs if x.primitive is ew.subtract else (None, None)
        if type(b) is not Equation:
            return None
        for known in (self.logarithms, self.bounded):
            if b not in known:
                continue
            rows = known[b]
            if rows.x is a and (1,) * (len(x.shape) - len(b.shape)) + b.shape == rows.total.shape:
                total = rows.total
                if known is self.bounded:
                    total = between(ew.maximum, e, (total, 1.0), total.shape, total.dtype)
                return applied(ew.divide, e, rows.powers, total)
        return None


def _powers(e: Equation, x: Equation, axes: tuple[int, ...], bounded: bool) -> tuple[_Rows, Equation, Equation]:
    """The exponentials of x minus the greatest element of its row, if that is bounded; the maximum, the difference."""
    kind = reduce.reduced_shape(x.shape, axes, True), x.dtype
    top = shift = between(reduce.reduce_max, e, (x,), *kind, axis=axes, keepdims=True)
    if bounded:
        limits = np.finfo(x.dtype)
        shift = between(ew.minimum, e, (shift, float(limits.max)), *kind)
        shift = between(ew.maximum, e, (shift, float(limits.min)), *kind)
    shifted = between(ew.subtract, e, (x, shift), x.shape, x.dtype)
    powers = between(ew.exp, e, (shifted,), x.shape, x.dtype)
    total = between(reduce.reduce_sum, e, (powers,), *kind, axis=axes, keepdims=True)
    return _Rows(x, powers, total), top, shifted


def _softmax(e: Equation, x: Equation) -> tuple[Equation, _Rows]:
    rows, *_ = _powers(e, x, (e.params["axis"] % len(x.shape),), False)
    return applied(ew.divide, e, rows.powers, rows.total), rows


def _log_softmax(e: Equation, x: Equation) -> tuple[Equation, _Rows]:
    rows, _, shifted = _powers(e, x, (e.params["axis"] % len(x.shape),), False)
    logarithm = between(ew.log, e, (rows.total,), rows.total.shape, x.dtype)
    return applied(ew.subtract, e, shifted, logarithm), rows


def _logsumexp(e: Equation, x: Equation) -> tuple[Equation, _Rows]:
    rows, top, _ = _powers(e, x, e.params["axis"], True)
    kind = rows.total.shape, x.dtype
    least = between(ew.maximum, e, (rows.total, 1.0), *kind)
    logarithm = between(ew.log, e, (least,), *kind)
    if e.shape == rows.total.shape:
        return applied(ew.add, e, logarithm, top), rows
    found = between(ew.add, e, (logarithm, top), *kind)
    return applied(structural.reshape, e, found, shape=e.shape, order="C"), rows


_EXPANDED: dict[Any, Any] = {
    reduce.softmax: _softmax,
    reduce.log_softmax: _log_softmax,
    reduce.logsumexp: _logsumexp,
}

__all__ = ["softmaxes"]
