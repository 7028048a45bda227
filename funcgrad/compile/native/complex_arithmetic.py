"""Arithmetic of complex numbers, part by part, in the order in which NumPy computes."""

from __future__ import annotations

import functools

import numpy as np

from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.ir import PARTS, Function, Value
from funcgrad.compile.native.math.power import hypot
from funcgrad.compile.native.math.terms import formula


def _each(name: str) -> Emitter:
    """One instruction for each part."""
    return lambda f, a, b: f.by_parts(lambda x, y: f.binary(name, x, y), a, b)


def multiply(f: Function, a: Value, b: Value) -> Value:
    """Of the two products that make a part one is rounded, and the other is not: NumPy uses fused multiply-add, too."""
    (ar, ai), (br, bi) = f.parts(a), f.parts(b)
    rest = f.negative(f.binary("fmul", ai, bi)), f.binary("fmul", ai, br)
    return f.pair(f.intrinsic("fma", ar, br, rest[0]), f.intrinsic("fma", ar, bi, rest[1]))


def divide(f: Function, a: Value, b: Value) -> Value:
    """By Smith's method: both parts of b are divided by the larger one."""
    (ar, ai), (br, bi) = f.parts(a), f.parts(b)
    sizes = [f.intrinsic("fabs", x) for x in (br, bi)]
    real = f.compare("oge", *sizes)
    rate = f.binary("fdiv", f.select(real, bi, br), f.select(real, br, bi))
    total = f.binary("fadd", f.select(real, br, bi), f.binary("fmul", f.select(real, bi, br), rate))
    scale = f.binary("fdiv", f.like(1.0, total), total)
    p, q = f.select(real, ar, ai), f.select(real, ai, ar)
    re = f.binary("fadd", p, f.binary("fmul", q, rate))
    turned = f.binary("fmul", p, rate)
    im = f.select(real, f.binary("fsub", q, turned), f.binary("fsub", turned, q))
    found = [f.binary("fmul", x, scale) for x in (re, im)]
    zero = f.binary("and", *[f.compare("oeq", s, f.like(0.0, s)) for s in sizes])
    return f.pair(*[f.select(zero, f.binary("fdiv", x, sizes[0]), y) for x, y in zip((ar, ai), found, strict=True)])


def _reciprocal(f: Function, a: Value) -> Value:
    re, im = f.parts(a)
    real = f.compare("ole", *[f.intrinsic("fabs", x) for x in (im, re)])
    large, small = f.select(real, re, im), f.select(real, im, re)
    rate = f.binary("fdiv", small, large)
    total = f.binary("fadd", large, f.binary("fmul", small, rate))
    one = f.like(1.0, re)
    turned = f.negative(f.select(real, rate, one))
    return f.pair(f.binary("fdiv", f.select(real, one, rate), total), f.binary("fdiv", turned, total))


def _conjugate(f: Function, a: Value) -> Value:
    re, im = f.parts(a)
    return f.pair(re, f.negative(im))


def _absolute(f: Function, a: Value) -> Value:
    return formula(hypot)(f, *f.parts(a))


def _sign(f: Function, a: Value) -> Value:
    """a / |a|; of an infinite part its sign."""
    size = _absolute(f, a)
    zero, one = f.like(0.0, size), f.like(1.0, size)
    none = f.compare("oeq", size, zero)
    endless = f.compare("oeq", size, f.like(np.inf, size))
    both = functools.reduce(lambda x, y: f.binary("and", x, y), [_infinite(f, x) for x in f.parts(a)])
    found = []
    for x in f.parts(a):
        end = f.select(_infinite(f, x), f.intrinsic("copysign", one, x), zero)
        end = f.select(both, f.like(np.nan, x), end)
        found.append(f.select(none, zero, f.select(endless, end, f.binary("fdiv", x, size))))
    wrong = f.compare("uno", size, size)
    return f.pair(*[f.select(wrong, f.like(np.nan, x), x) for x in found])


def _infinite(f: Function, x: Value) -> Value:
    return f.compare("oeq", f.intrinsic("fabs", x), f.like(np.inf, x))


def _joined(how: str, predicate: str) -> Emitter:
    """Whether both parts, or one of them, compare so."""
    return lambda f, a, b: f.binary(
        how, *[f.compare(predicate, x, y) for x, y in zip(f.parts(a), f.parts(b), strict=True)]
    )


def truth(f: Function, a: Value) -> Value:
    """Whether a complex number is not zero."""
    return _joined("or", "une")(f, a, f.like(0, a))


def _logical(name: str) -> Emitter:
    return lambda f, a, b: f.binary(name, truth(f, a), truth(f, b))


def _not(f: Function, a: Value) -> Value:
    found = truth(f, a)
    return f.binary("xor", found, f.like(True, found))


def _of_sizes(how: str, predicate: str) -> Emitter:
    """Whether both sizes, or one of them, compare so with infinity."""

    def asked(f: Function, a: Value) -> Value:
        sizes = [f.intrinsic("fabs", x) for x in f.parts(a)]
        return f.binary(how, *[f.compare(predicate, s, f.like(np.inf, s)) for s in sizes])

    return asked


COMPLEX: dict[np.ufunc, Emitter] = {
    np.add: _each("fadd"),
    np.subtract: _each("fsub"),
    np.multiply: multiply,
    np.divide: divide,
    np.negative: lambda f, a: f.by_parts(f.negative, a),
    np.positive: lambda f, a: a,
    np.conjugate: _conjugate,
    np.square: lambda f, a: multiply(f, a, a),
    np.reciprocal: _reciprocal,
    np.absolute: _absolute,
    np.sign: _sign,
    np.equal: _joined("and", "oeq"),
    np.not_equal: _joined("or", "une"),
    np.logical_and: _logical("and"),
    np.logical_or: _logical("or"),
    np.logical_xor: _logical("xor"),
    np.logical_not: _not,
    np.isnan: _of_sizes("or", "uno"),
    np.isinf: _of_sizes("or", "oeq"),
    np.isfinite: _of_sizes("and", "olt"),
    np.rint: lambda f, a: f.by_parts(lambda x: f.intrinsic("rint", x), a),
}


# The parts themselves.


def real(f: Function, a: Value) -> Value:
    """The real part, of a real number too."""
    return f.parts(a)[0] if a.kind in PARTS else a


def imag(f: Function, a: Value) -> Value:
    """The imaginary part, of a real number zero."""
    return f.parts(a)[1] if a.kind in PARTS else f.like(0, a)
