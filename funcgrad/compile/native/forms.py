"""Elementwise primitives that are no ufuncs: choices, and functions that NumPy composes of several ufuncs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from funcgrad.compile.native import complex_arithmetic
from funcgrad.compile.native.arithmetic import Emitter
from funcgrad.compile.native.ir import Function, Value
from funcgrad.compile.native.math.error_function import erf, erf_inv, erfc
from funcgrad.compile.native.math.exponential import sigmoid
from funcgrad.compile.native.math.gamma import digamma, lgamma
from funcgrad.compile.native.math.terms import formula
from funcgrad.compile.native.random_bits import threefry2x32
from funcgrad.core.primitive import Primitive
from funcgrad.core.tape import Equation
from funcgrad.ops import activation, complex_parts, error_functions, gamma, index, logistic, multiply_add, random_bits
from funcgrad.ops import elementwise as ew
from funcgrad.ops import erf_inv as inverse


class Form(NamedTuple):
    """How a primitive is written.

    Attributes:
        write: its lines, from operands of the dtypes that `kinds` gives.
        choice: whether the first operand is a truth value.
        codes: the kinds of the dtypes that it is written for.
    """

    write: Emitter
    choice: bool = False
    codes: str = "f"

    def takes(self, e: Equation, kinds: Sequence[Any]) -> bool:
        """Whether it is written for operands of these dtypes."""
        if e.params or e.dtype.kind not in self.codes:
            return False
        return np.result_type(*[_example(k) for k in kinds[self.choice :]]) == e.dtype

    def kinds(self, e: Equation, kinds: Sequence[Any]) -> list[np.dtype]:
        """The dtypes that the operands are cast to."""
        return [np.dtype(bool) if self.choice and not k else e.dtype for k in range(len(kinds))]


class Parts(NamedTuple):
    """How a primitive is written that makes a complex number of its parts, or takes it apart.

    Attributes:
        write: its lines.
        joins: whether it makes complex numbers.
    """

    write: Emitter
    joins: bool = False

    def takes(self, e: Equation, kinds: Sequence[Any]) -> bool:
        """Whether it is written for operands of these dtypes."""
        if not all(isinstance(k, np.dtype) and (k.kind == "f" or (k.kind == "c" and not self.joins)) for k in kinds):
            return False
        return e.dtype == (np.result_type(*kinds, np.complex64) if self.joins else _part(kinds[0]))

    def kinds(self, e: Equation, kinds: Sequence[Any]) -> list[np.dtype]:
        """The dtypes that the operands are cast to."""
        return [_part(e.dtype)] * len(kinds) if self.joins else list(kinds)


def _part(kind: np.dtype) -> np.dtype:
    """The dtype of a part of complex numbers."""
    return np.dtype(f"f{kind.itemsize // 2}") if kind.kind == "c" else kind


def _example(kind: Any) -> Any:
    """What stands for a dtype or a Python number when dtypes meet."""
    return kind if isinstance(kind, np.dtype) else kind(0)


def _where(f: Function, condition: Value, a: Value, b: Value) -> Value:
    return f.select(condition, a, b)


def _relu(f: Function, a: Value) -> Value:
    zero = f.like(0, a)
    return f.select(f.compare("ole", a, zero), f.select(f.compare("oeq", a, zero), a, zero), a)


def _relu_backward(f: Function, a: Value, y: Value) -> Value:
    return f.select(f.compare("ole", y, f.like(0, y)), f.like(0, a), a)


def _sigmoid_backward(f: Function, a: Value, y: Value) -> Value:
    one = f.binary("fsub", f.like(1, y), y)
    return f.binary("fmul", a, f.binary("fmul", one, y))


def _multiply_add(f: Function, a: Value, b: Value, c: Value) -> Value:
    if a.kind == "double":
        return f.intrinsic("fma", a, b, c)
    wide = [f.cast("fpext", x, "double") for x in (a, b, c)]  # where products of single precision are exact
    return f.cast("fptrunc", f.binary("fadd", f.binary("fmul", wide[0], wide[1]), wide[2]), "float")


FORMS: dict[Primitive, Form | Parts] = {
    index.where: Form(_where, choice=True, codes="fiubc"),
    ew.real: Parts(complex_arithmetic.real),
    ew.imag: Parts(complex_arithmetic.imag),
    complex_parts.complex_of: Parts(Function.pair, joins=True),
    activation.relu: Form(_relu),
    activation.relu_backward: Form(_relu_backward),
    logistic.logistic: Form(formula(sigmoid, single=True)),
    logistic.sigmoid: Form(formula(sigmoid, single=True)),
    logistic.sigmoid_backward: Form(_sigmoid_backward),
    multiply_add.multiply_add: Form(_multiply_add),
    error_functions.erf: Form(formula(erf)),
    error_functions.erfc: Form(formula(erfc)),
    inverse.erf_inv: Form(formula(erf_inv, single=True)),
    gamma.lgamma: Form(formula(lgamma)),
    gamma.digamma: Form(formula(digamma)),
    random_bits.threefry2x32: Form(threefry2x32, codes="u"),
}
