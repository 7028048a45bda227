"""Primitives that NumPy computes by a formula, as the equations of that formula: elementwise ones, and differences.

The formula is found by recording what the primitive's own function does, so the values are the same to the last bit.
What looks at the values of its operands on the way stays whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.compile.numpy_backend.groups import elementwise
from funcgrad.compile.passes.making import numbered
from funcgrad.compile.rewrite import applied, rewrite, with_inputs
from funcgrad.core import batching
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation, Tape
from funcgrad.core.types import ShapeDtypeStruct, dtype_of, shape_of
from funcgrad.ops import complex_parts, cumulative, index, special, structural
from funcgrad.ops import elementwise as ew
from funcgrad.transforms.closing import close


def written_out(tape: Tape) -> Tape:
    """The tape with formulas in the places of the elementwise primitives that have one, and of differences."""

    def in_place(e: Equation, inputs: tuple) -> Any:
        if e.primitive is cumulative.difference and type(inputs[0]) is Equation and e.dtype.kind != "b":
            return _difference(e, inputs[0])
        inner = formula(e)
        if inner is None:
            return None
        env: dict[Equation, Any] = dict(zip(inner.inputs, inputs, strict=True))
        count = len(inner.equations)
        for k, i in enumerate(inner.equations):
            given = tuple([env[x] if type(x) is Equation else x for x in i.inputs])
            env[i] = with_inputs(i, given, e.number - 0.25 * (1 - (k + 1) / count))  # all between its neighbours
        return env[inner.outputs[0]]

    return rewrite(tape, in_place)


def _difference(e: Equation, x: Equation) -> Equation:
    """Differences of neighbours, of slices; or of pads where the array goes on with zeros at both ends."""
    axis = e.params["axis"]
    if e.params["full"]:
        given: list[dict[str, Any]] = [
            {"widths": tuple([ends if k == axis else (0, 0) for k in range(len(e.shape))])} for ends in ((0, 1), (1, 0))
        ]
    else:
        given = [{"index": (*[slice(None)] * axis, s)} for s in (slice(1, None), slice(None, -1))]
    p = structural.pad if e.params["full"] else index.getitem
    parts = [
        numbered(p, e.number - n, (x,), e.shape, e.dtype, **words) for n, words in zip((0.2, 0.1), given, strict=True)
    ]
    return applied(ew.subtract, e, *parts)


def formula(e: Equation) -> Tape | None:
    """The ufuncs that an elementwise equation consists of; None if it is one itself, or has no such formula."""
    p = e.primitive
    if not isinstance(p, Primitive) or p.batch is not batching.elementwise or p.multiple or elementwise(e):
        return None

    def recorded(*xs: Any) -> Any:
        given = [x if type(i) is Equation else i for x, i in zip(xs, e.inputs, strict=True)]
        return _FORMULAS.get(p, p.impl)(*given, **e.params)

    kinds = [ShapeDtypeStruct(shape_of(i), dtype_of(i)) for i in e.inputs]
    try:
        body, constants, _ = close(recorded, kinds, p.name, decides=False)
    except Exception:  # whatever a function does that cannot be recorded
        return None
    tape = body.tape
    out = tape.outputs[0]
    if constants or tape.effects or type(out) is not Equation or (out.shape, out.dtype) != (e.shape, e.dtype):
        return None
    return tape if tape.equations and all(elementwise(i) for i in tape.equations) else None


# What asks for a function of NumPy that is a primitive itself.


def _nan_to_num(x: Any, *, nan: float, posinf: float | None, neginf: float | None) -> Any:
    if x.dtype.kind == "c":
        return special.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
    ends = np.finfo(x.dtype)
    up, down = [float(e) if given is None else given for e, given in ((ends.max, posinf), (ends.min, neginf))]
    x = np.where(np.isnan(x), nan, x)
    return np.where(x == np.inf, up, np.where(x == -np.inf, down, x))


def _round(x: Any, *, decimals: int) -> Any:
    if decimals == 0:
        return np.rint(x)
    factor = 10.0 ** abs(decimals)
    return np.rint(x * factor) / factor if decimals > 0 else np.rint(x / factor) * factor


def _isclose(x: Any, y: Any, rtol: Any, atol: Any, *, equal_nan: bool) -> Any:
    near = (abs(x - y) <= atol + rtol * abs(y)) & np.isfinite(y) | (x == y)
    return near | (np.isnan(x) & np.isnan(y)) if equal_nan else near


def _sinc(x: Any, *, order: int) -> Any:
    if order:
        return special.sinc(x, order=order)
    u = np.pi * x
    at_zero = u == 0
    return np.where(at_zero, 1, np.sin(u) / np.where(at_zero, 1, u))


_FORMULAS: dict[Primitive, Callable] = {
    ew.isposinf: lambda x: x == np.inf,
    ew.isneginf: lambda x: x == -np.inf,
    ew.isclose: _isclose,
    ew.round: _round,
    complex_parts.polar: lambda x, y: complex_parts.complex_of(x * np.cos(y), x * np.sin(y)),
    special.nan_to_num: _nan_to_num,
    special.sinc: _sinc,
}
