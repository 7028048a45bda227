"""Instructions of AVX-512 for the parts of floats, which give the same bits as the formulas for other processors."""

from __future__ import annotations

from funcgrad.compile.native.ir import SIZES, Value
from funcgrad.compile.native.llvm import AVX512, target
from funcgrad.compile.native.math.terms import Term


def fills_register(x: Term) -> bool:
    """Whether a value is a whole register of a processor that has these instructions."""
    return SIZES[x.value.kind] * x.value.lanes == target().bytes == AVX512


def _instruction(name: str, x: Term, *operands: Value) -> Term:
    """One for every lane, with the rounding that is set."""
    short, mask = ("pd", "i8") if x.value.kind == "double" else ("ps", "i16")
    full = f"llvm.x86.avx512.mask.{name}.{short}.512"
    lanes = Value("-1", mask), Value("4", "i32")
    return Term(x.f, x.f.call(full, x.value.kind, x.value.lanes, x.value, *operands, x.value, *lanes))


def scaled(y: Term, n: Term) -> Term:
    """y 2^n."""
    return _instruction("scalef", y, n.value)


def exponent(x: Term) -> Term:
    """The n of x = m 2^n with 1 <= m < 2, as a float; infinite for 0 and infinity."""
    return _instruction("getexp", x)


def mantissa(x: Term) -> Term:
    """The m of x = m 2^n with 1 <= m < 2: 1 for infinity, nan for a negative number."""
    return _instruction("getmant", x, Value("8", "i32"))
