"""What an elementwise equation is in machine code: one table from ufuncs and primitives to the lines that compute them.

Operands are cast to the dtype that NumPy computes in, which the ufunc itself is asked for. What is exact in NumPy is
the same to the last bit here; functions.py says how near the others are.
"""

from __future__ import annotations

import functools
import platform
from collections.abc import Sequence
from typing import Any

import numpy as np

from funcgrad.compile.native.arithmetic import ARITHMETIC
from funcgrad.compile.native.casts import convert
from funcgrad.compile.native.complex_arithmetic import COMPLEX
from funcgrad.compile.native.complex_functions import COMPLEX_FUNCTIONS
from funcgrad.compile.native.forms import FORMS
from funcgrad.compile.native.functions import FUNCTIONS, POWERS
from funcgrad.compile.native.ir import TYPES, Function, Value
from funcgrad.core.array import raw
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.core.types import PYTHON_NUMBERS
from funcgrad.ops import structural

_UFUNCS = {**ARITHMETIC, **FUNCTIONS}
_UFUNCS |= {ufunc: {**_UFUNCS.get(ufunc, {}), "c": emitter} for ufunc, emitter in (COMPLEX | COMPLEX_FUNCTIONS).items()}
_CASTS = (structural.astype, structural.truncate)
_OVERFLOWING = {np.dtype(np.uint32), np.dtype(np.uint64)}
"""What a float out of range becomes differs between NumPy's own loops."""


def takes(e: Equation) -> bool:
    """Whether an equation can be written; the constants among its operands are numbers or arrays of any shape."""
    p = e.primitive
    if not isinstance(p, Primitive) or p.multiple or e.dtype not in TYPES:
        return False
    kinds = [_kind(x) for x in e.inputs]
    if not all(k in PYTHON_NUMBERS or k in TYPES for k in kinds):
        return False
    if p in _CASTS:
        return kinds[0] in TYPES and _castable(kinds[0], e.dtype)
    if p in FORMS:
        return FORMS[p].takes(e, kinds)
    if e.params or p.impl not in _UFUNCS:
        return False
    found = _resolved(p.impl, tuple(kinds))
    if found is None or found[-1] != e.dtype or len(set(found[:-1])) > 1:
        return False
    if found[0] not in TYPES or not all(_castable(k, found[0]) for k in kinds if k in TYPES):
        return False
    return found[0].kind in _UFUNCS[p.impl] and all(_holds(found[0], x) for x in e.inputs)


def emit(f: Function, e: Equation, args: Sequence[Value | None]) -> Value:
    """Write an equation that `takes` accepts.

    Arguments:
        f: the function to write to.
        e: the equation.
        args: of each operand the value, in the dtype of the operand. For a constant number it may be None: the number
            is then written into the code, as are all Python numbers.

    Returns:
        The result, in the dtype of the equation.
    """
    p: Any = e.primitive
    lanes = max([a.lanes for a in args if a is not None], default=f.lanes)
    if p in _CASTS:
        return _operand(f, e.inputs[0], args[0], e.dtype, lanes)
    if p in FORMS:
        form = FORMS[p]
        kinds = form.kinds(e, [_kind(x) for x in e.inputs])
        given = [_operand(f, x, a, k, lanes) for x, a, k in zip(e.inputs, args, kinds, strict=True)]
        return form.write(f, *given)
    found = _resolved(p.impl, tuple([_kind(x) for x in e.inputs]))
    assert found is not None, f"{e} is not taken"
    kind = found[0]
    if p.impl is np.power and (short := _short_power(e.inputs[1])) is not None:
        return short(f, _operand(f, e.inputs[0], args[0], kind, lanes))
    given = [_operand(f, x, a, kind, lanes) for x, a in zip(e.inputs, args, strict=True)]
    return _UFUNCS[p.impl][kind.kind](f, *given)


def _kind(x: Any) -> Any:
    """The dtype of an operand, or the type of a Python number."""
    if type(x) is Equation:
        return x.dtype
    x = raw(x)
    return type(x) if type(x) in PYTHON_NUMBERS else np.asarray(x).dtype


@functools.lru_cache(4096)
def _resolved(ufunc: np.ufunc, kinds: tuple) -> tuple[np.dtype, ...] | None:
    """The dtypes that NumPy computes in, and that of the result; None if it does not take these."""
    if len(kinds) != ufunc.nin:
        return None
    asked = [np.dtype(bool) if k is bool else k for k in kinds]
    try:
        return ufunc.resolve_dtypes((*asked, *[None] * ufunc.nout))
    except TypeError:
        return None


def _castable(old: np.dtype, new: np.dtype) -> bool:
    """Whether a cast gives what NumPy gives."""
    if old.kind == "c" and new.kind not in "cb":
        return False  # NumPy warns of what is lost
    if old.kind == "f" and new.kind in "iu":
        return new not in _OVERFLOWING and platform.machine() in ("x86_64", "AMD64")
    return True


def _holds(kind: np.dtype, x: Any) -> bool:
    """Whether an operand, if it is a Python number, is one of a dtype."""
    x = raw(x)
    if type(x) is not int or kind.kind not in "iu":
        return True
    return bool(np.iinfo(kind).min <= x <= np.iinfo(kind).max)


def _operand(f: Function, x: Any, a: Value | None, kind: np.dtype, lanes: int) -> Value:
    """An operand as a value of a dtype."""
    if type(x) is not Equation:
        x = raw(x)
        if a is None or type(x) in PYTHON_NUMBERS:
            with np.errstate(all="ignore"):
                return f.constant(np.asarray(x).astype(kind).item(), TYPES[kind], lanes)
    assert a is not None, "the value of an operand is missing"
    return f.splat(convert(f, a, _kind(x), kind), lanes) if a.lanes == 1 else convert(f, a, _kind(x), kind)


def _short_power(exponent: Any) -> Any:
    """What writes a power whose exponent is a number that is known, if there is a shorter way."""
    return None if type(exponent) is Equation or np.ndim(raw(exponent)) else POWERS.get(float(raw(exponent)))
