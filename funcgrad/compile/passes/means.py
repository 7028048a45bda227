"""Means: a mean is a sum and a division, a variance is two; these can be fused with what is around them."""

from __future__ import annotations

from typing import Any

from funcgrad.compile.passes.making import between
from funcgrad.compile.rewrite import applied, rewrite, with_any
from funcgrad.core.tape import Equation, Tape
from funcgrad.ops import elementwise, reduce

_KINDS: dict[Any, str] = {reduce.reduce_mean: "fc", reduce.reduce_var: "f"}


@with_any(*_KINDS)
def means(tape: Tape) -> Tape:
    """The tape with means of floating-point numbers, and variances of real ones, as what they are computed from."""
    return rewrite(tape, _rule)


def _rule(e: Equation, inputs: tuple) -> Any:
    x = inputs[0] if e.primitive in _KINDS else None
    if type(x) is not Equation or x.dtype.kind not in _KINDS[e.primitive] or x.dtype.char == "e":
        return None
    number, params = reduce.count(x.shape, e.params["axis"]), dict(e.params)
    if e.primitive is reduce.reduce_var:
        number = max(number - params.pop("ddof"), 0)
        x = _squares(x, e)
    total = between(reduce.reduce_sum, e, (x,), e.shape, e.dtype, **params)
    return applied(elementwise.divide, e, total, number)


def _squares(x: Equation, e: Equation) -> Equation:
    """The squares of the differences from the mean."""
    axis = e.params["axis"]
    shape = reduce.reduced_shape(x.shape, axis, True)
    total = between(reduce.reduce_sum, e, (x,), shape, x.dtype, axis=axis, keepdims=True)
    mean = between(elementwise.divide, e, (total, reduce.count(x.shape, axis)), shape, x.dtype)
    apart = between(elementwise.subtract, e, (x, mean), x.shape, x.dtype)
    return between(elementwise.square, e, (apart,), x.shape, x.dtype)
