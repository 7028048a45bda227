"""Ufuncs that NumPy computes exactly, or with one rounding: for each kind of dtype the lines that do the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from funcgrad.compile.native.ir import SIZES, Function, Value

Emitter: TypeAlias = Callable[..., Value]
"""From a function and operands of one type to the result."""


def operation(name: str) -> Emitter:
    """One instruction of two operands."""
    return lambda f, a, b: f.binary(name, a, b)


def intrinsic(name: str) -> Emitter:
    """One of LLVM's own functions."""
    return lambda f, *args: f.intrinsic(name, *args)


def _compared(predicate: str) -> Emitter:
    return lambda f, a, b: f.compare(predicate, a, b)


def _same(f: Function, a: Value) -> Value:
    return a


def _truth(f: Function, a: Value) -> Value:
    """Whether a value is not zero."""
    if a.kind == "i1":
        return a
    return f.compare("une" if a.kind in ("double", "float") else "ne", a, f.like(0, a))


def _bits_of(a: Value) -> str:
    """The integers that have as many bits as a float."""
    return "i64" if a.kind == "double" else "i32"


def _not(f: Function, a: Value) -> Value:
    return f.binary("xor", a, f.like(-1 if a.kind != "i1" else True, a))


def _logical(name: str) -> dict[str, Emitter]:
    return dict.fromkeys("fiub", lambda f, a, b: f.binary(name, _truth(f, a), _truth(f, b)))


def _comparison(name: str, *, unordered: bool = False) -> dict[str, Emitter]:
    if name in ("eq", "ne"):
        return {"f": _compared("une" if unordered else "oeq"), **dict.fromkeys("iub", _compared(name))}
    return {"f": _compared(f"o{name}"), "i": _compared(f"s{name}"), **dict.fromkeys("ub", _compared(f"u{name}"))}


def _integers(emitter: Emitter) -> dict[str, Emitter]:
    return dict.fromkeys("iu", emitter)


def _negative(f: Function, a: Value) -> Value:
    return f.binary("sub", f.like(0, a), a)


def _absolute(f: Function, a: Value) -> Value:
    return f.select(f.compare("slt", a, f.like(0, a)), _negative(f, a), a)


def _sign(above: str, below: str, equal: str) -> Emitter:
    def sign(f: Function, a: Value) -> Value:
        zero = f.like(0, a)
        other = f.select(f.compare(equal, a, zero), zero, a)  # nan stays
        other = f.select(f.compare(below, a, zero), f.like(-1, a), other)
        return f.select(f.compare(above, a, zero), f.like(1, a), other)

    return sign


def _positive_sign(f: Function, a: Value) -> Value:
    return f.select(f.compare("ne", a, f.like(0, a)), f.like(1, a), f.like(0, a))


# The larger and the smaller. Of two zeros it is the second, whatever their signs.


def better(predicate: str) -> Emitter:
    """Of two floats the first where a comparison holds or it is nan, else the second."""

    def chosen(f: Function, a: Value, b: Value) -> Value:
        first = f.binary("or", f.compare(predicate, a, b), f.compare("uno", a, a))
        return f.select(first, a, b)

    return chosen


def _better_integer(predicate: str) -> Emitter:
    return lambda f, a, b: f.select(f.compare(predicate, a, b), a, b)


def _extremum(name: str) -> dict[str, Emitter]:
    whole = {"i": _better_integer(f"s{name}"), "u": _better_integer(f"u{name}")}
    return {"f": better(f"o{name}"), **whole, "b": operation("or" if name == "gt" else "and")}


def _other_than_nan(predicate: str) -> Emitter:
    """The better of what is a number."""

    def better(f: Function, a: Value, b: Value) -> Value:
        first = f.binary("or", f.compare(predicate, a, b), f.compare("uno", b, b))
        return f.select(first, a, b)

    return better


def _neighbour(f: Function, a: Value, up: Value) -> Value:
    """The next float: away from zero where `up` holds, else towards it."""
    kind = _bits_of(a)
    bits = f.cast("bitcast", a, kind)
    return f.cast("bitcast", f.binary("add", bits, f.select(up, f.like(1, bits), f.like(-1, bits))), a.kind)


def _spacing(f: Function, a: Value) -> Value:
    zero = f.compare("oeq", a, f.like(0.0, a))
    a = f.select(zero, f.like(0.0, a), a)
    step = f.binary("fsub", _neighbour(f, a, f.like(True, zero)), a)
    return f.select(_size("olt")(f, a), step, f.like(math.nan, a))


def _next_after(f: Function, a: Value, b: Value) -> Value:
    """The next float from a on the way to b."""
    zero = f.like(0.0, a)
    away = f.binary("xor", f.compare("olt", b, a), f.compare("ogt", a, zero))
    least = f.intrinsic("copysign", f.cast("bitcast", f.constant(1, _bits_of(a), a.lanes), a.kind), b)
    found = f.select(f.compare("oeq", a, zero), least, _neighbour(f, a, away))
    found = f.select(f.compare("oeq", a, b), b, found)
    return f.select(f.compare("uno", a, b), f.like(math.nan, a), found)


# Division. That of integers by zero gives zero, and the least one divided by -1 is itself.


def _float_parts(f: Function, a: Value, b: Value) -> tuple[Value, Value]:
    """The remainder with the sign of b, and the quotient that belongs to it before it is rounded."""
    zero = f.like(0.0, a)
    left = f.binary("frem", a, b)
    quotient = f.binary("fdiv", f.binary("fsub", a, left), b)
    other = f.binary("xor", f.compare("olt", b, zero), f.compare("olt", left, zero))
    some = f.compare("une", left, zero)
    move = f.binary("and", some, other)
    moved = f.select(move, f.binary("fadd", left, b), left)
    quotient = f.select(move, f.binary("fsub", quotient, f.like(1.0, a)), quotient)
    return f.select(some, moved, f.intrinsic("copysign", zero, b)), quotient


def _float_remainder(f: Function, a: Value, b: Value) -> Value:
    found, _ = _float_parts(f, a, b)
    return f.select(f.compare("oeq", b, f.like(0.0, b)), f.like(math.nan, a), found)


def _float_quotient(f: Function, a: Value, b: Value) -> Value:
    zero = f.like(0.0, a)
    _, quotient = _float_parts(f, a, b)
    low = f.intrinsic("floor", quotient)
    far = f.compare("ogt", f.binary("fsub", quotient, low), f.like(0.5, a))
    low = f.select(far, f.binary("fadd", low, f.like(1.0, a)), low)
    exact = f.binary("fdiv", a, b)
    low = f.select(f.compare("une", quotient, zero), low, f.intrinsic("copysign", zero, exact))
    return f.select(f.compare("oeq", b, zero), exact, low)


def _signed_parts(f: Function, a: Value, b: Value) -> tuple[Value, Value, Value]:
    """The quotient and the remainder of C, and whether the divisor is zero. By 1 instead of what may not be divided."""
    least = f.like(-(1 << (8 * SIZES[a.kind] - 1)), a)
    zero = f.compare("eq", b, f.like(0, b))
    beyond = f.binary("and", f.compare("eq", a, least), f.compare("eq", b, f.like(-1, b)))
    divisor = f.select(f.binary("or", zero, beyond), f.like(1, b), b)
    quotient = f.binary("sdiv", a, divisor)
    return quotient, f.binary("sub", a, f.binary("mul", quotient, divisor)), zero


def _adjust(f: Function, left: Value, b: Value) -> Value:
    """Whether a remainder has another sign than the divisor."""
    some = f.compare("ne", left, f.like(0, left))
    return f.binary("and", some, f.compare("slt", f.binary("xor", left, b), f.like(0, b)))


def _signed_quotient(f: Function, a: Value, b: Value) -> Value:
    quotient, left, zero = _signed_parts(f, a, b)
    lower = f.binary("sub", quotient, f.like(1, a))
    return f.select(zero, f.like(0, a), f.select(_adjust(f, left, b), lower, quotient))


def _signed_remainder(f: Function, a: Value, b: Value) -> Value:
    _, left, zero = _signed_parts(f, a, b)
    moved = f.select(_adjust(f, left, b), f.binary("add", left, b), left)
    return f.select(zero, f.like(0, a), moved)


def _c_remainder(f: Function, a: Value, b: Value) -> Value:
    """The remainder with the sign of a."""
    _, left, zero = _signed_parts(f, a, b)
    return f.select(zero, f.like(0, a), left)


def _unsigned(name: str) -> Emitter:
    def divided(f: Function, a: Value, b: Value) -> Value:
        zero = f.compare("eq", b, f.like(0, b))
        return f.select(zero, f.like(0, a), f.binary(name, a, f.select(zero, f.like(1, b), b)))

    return divided


# Bits. A shift by as many places as there are, or by a negative number, moves all of them out.


def _shifted(name: str) -> Emitter:
    def shifted(f: Function, a: Value, b: Value) -> Value:
        size = 8 * SIZES[a.kind]
        inside = f.compare("ult", b, f.like(size, b))
        if name == "ashr":
            return f.binary(name, a, f.select(inside, b, f.like(size - 1, b)))
        moved = f.binary(name, a, f.select(inside, b, f.like(0, b)))
        return f.select(inside, moved, f.like(0, a))

    return shifted


def _count(f: Function, a: Value) -> Value:
    found = f.intrinsic("ctpop", a)
    return found if a.kind == "i8" else f.cast("trunc", found, "i8")


def _signbit(f: Function, a: Value) -> Value:
    bits = f.cast("bitcast", a, _bits_of(a))
    return f.compare("slt", bits, f.like(0, bits))


def _size(predicate: str) -> Emitter:
    return lambda f, a: f.compare(predicate, f.intrinsic("fabs", a), f.like(math.inf, a))


def _heaviside(f: Function, a: Value, at_zero: Value) -> Value:
    zero = f.like(0.0, a)
    other = f.select(f.compare("olt", a, zero), zero, f.select(f.compare("oeq", a, zero), at_zero, a))
    return f.select(f.compare("ogt", a, zero), f.like(1.0, a), other)


def _angle(up: float, down: float) -> Emitter:
    """Times a quotient that is computed in the dtype."""

    def scaled(f: Function, a: Value) -> Value:
        one = np.float32 if a.kind == "float" else np.float64
        return f.binary("fmul", a, f.like(one(up) / one(down), a))

    return scaled


def _rounded(name: str) -> dict[str, Emitter]:
    return {"f": intrinsic(name), **dict.fromkeys("iub", _same)}


_RADIANS, _DEGREES = {"f": _angle(math.pi, 180)}, {"f": _angle(180, math.pi)}
ARITHMETIC: dict[np.ufunc, dict[str, Emitter]] = {
    np.add: {"f": operation("fadd"), **_integers(operation("add")), "b": operation("or")},
    np.subtract: {"f": operation("fsub"), **_integers(operation("sub"))},
    np.multiply: {"f": operation("fmul"), **_integers(operation("mul")), "b": operation("and")},
    np.divide: {"f": operation("fdiv")},
    np.negative: {"f": lambda f, a: f.negative(a), **_integers(_negative)},
    np.positive: dict.fromkeys("fiu", _same),
    np.conjugate: dict.fromkeys("fiu", _same),
    np.reciprocal: {"f": lambda f, a: f.binary("fdiv", f.like(1.0, a), a)},
    np.square: {"f": lambda f, a: f.binary("fmul", a, a), **_integers(lambda f, a: f.binary("mul", a, a))},
    np.sqrt: {"f": intrinsic("sqrt")},
    np.absolute: {"f": intrinsic("fabs"), "i": _absolute, **dict.fromkeys("ub", _same)},
    np.fabs: {"f": intrinsic("fabs")},
    np.sign: {"f": _sign("ogt", "olt", "oeq"), "i": _sign("sgt", "slt", "eq"), "u": _positive_sign},
    np.floor_divide: {"f": _float_quotient, "i": _signed_quotient, "u": _unsigned("udiv")},
    np.remainder: {"f": _float_remainder, "i": _signed_remainder, "u": _unsigned("urem")},
    np.fmod: {"f": operation("frem"), "i": _c_remainder, "u": _unsigned("urem")},
    np.maximum: _extremum("gt"),
    np.minimum: _extremum("lt"),
    np.fmax: {**_extremum("gt"), "f": _other_than_nan("ogt")},
    np.fmin: {**_extremum("lt"), "f": _other_than_nan("olt")},
    np.spacing: {"f": _spacing},
    np.nextafter: {"f": _next_after},
    np.copysign: {"f": intrinsic("copysign")},
    np.heaviside: {"f": _heaviside},
    np.floor: _rounded("floor"),
    np.ceil: _rounded("ceil"),
    np.trunc: _rounded("trunc"),
    np.rint: {"f": intrinsic("rint")},
    np.deg2rad: _RADIANS,
    np.radians: _RADIANS,
    np.rad2deg: _DEGREES,
    np.degrees: _DEGREES,
    np.equal: _comparison("eq"),
    np.not_equal: _comparison("ne", unordered=True),
    np.less: _comparison("lt"),
    np.less_equal: _comparison("le"),
    np.greater: _comparison("gt"),
    np.greater_equal: _comparison("ge"),
    np.logical_and: _logical("and"),
    np.logical_or: _logical("or"),
    np.logical_xor: _logical("xor"),
    np.logical_not: dict.fromkeys("fiub", lambda f, a: _not(f, _truth(f, a))),
    np.isnan: {"f": lambda f, a: f.compare("uno", a, a)},
    np.isinf: {"f": _size("oeq")},
    np.isfinite: {"f": _size("olt")},
    np.signbit: {"f": _signbit},
    np.bitwise_and: dict.fromkeys("iub", operation("and")),
    np.bitwise_or: dict.fromkeys("iub", operation("or")),
    np.bitwise_xor: dict.fromkeys("iub", operation("xor")),
    np.invert: dict.fromkeys("iub", _not),
    np.left_shift: _integers(_shifted("shl")),
    np.right_shift: {"i": _shifted("ashr"), "u": _shifted("lshr")},
    np.bitwise_count: {"i": lambda f, a: _count(f, _absolute(f, a)), "u": _count},
}
