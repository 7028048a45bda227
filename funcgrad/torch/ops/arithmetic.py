"""Arithmetic: sums, products, quotients, powers, and the operators of Python that stand for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops import elementwise as core
from funcgrad.torch.base import dtypes
from funcgrad.torch.base.overloads import ARITHMETIC, COMPUTED_FIRST
from funcgrad.torch.base.storage import laid_out
from funcgrad.torch.declare.checks import Undifferentiable, check_kinds, not_implemented
from funcgrad.torch.declare.kernels import check_not_recorded
from funcgrad.torch.declare.op import EITHER_NUMBER_SHORT, UNARY, WITH_NUMBER, op
from funcgrad.torch.declare.operators import operator
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.ops.reducing import UNSET
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor.fast import binary_function, unary_function
from funcgrad.torch.tensor.members import add_member, member_of
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import check_broadcast, common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import NUMBERS, raw
from funcgrad.torch.texts import elementwise as texts

# Sums and differences. alpha multiplies the second operand; almost always it is 1.


def _add_scaled(x: Any, y: Any, *, alpha: Any) -> Any:
    return x + alpha * y


def _subtract_scaled(x: Any, y: Any, *, alpha: Any) -> Any:
    return x - alpha * y


def _subtract_from(x: Any, y: Any, *, alpha: Any) -> Any:
    return y - alpha * x


def _is_bool(x: Any) -> bool:
    return x._value.dtype.kind == "b" if isinstance(x, Tensor) else isinstance(x, (bool, np.bool_))


def _check_subtraction(x: Any, y: Any) -> None:
    """Raise torch's error if one of the operands is boolean."""
    if _is_bool(x) and _is_bool(y):
        raise RuntimeError(texts.SUBTRACTION_OF_BOOLS)
    if _is_bool(x) or _is_bool(y):
        raise RuntimeError(texts.SUBTRACTION_WITH_BOOL)


ADD = Operation(core.add, "AddBackward0", promote="common")
ADD_SCALED = Operation(_add_scaled, "AddBackward0", promote="common", saves=())
SUB = Operation(core.subtract, "SubBackward0", promote="common", before=_check_subtraction)
SUB_SCALED = Operation(_subtract_scaled, "SubBackward0", promote="common", saves=())
RSUB = Operation(_subtract_from, "RsubBackward0", promote="common", saves=())
RSUB_NUMBER_SCALED = Operation(_subtract_from, "RsubBackward1", promote="common", saves=(), edges=1)
RSUB_NUMBER = Operation(conventions.subtract_from, "RsubBackward1", promote="common", edges=1)

_add = binary_function(ADD)
_subtract = binary_function(SUB)
_subtract_from_number = binary_function(RSUB_NUMBER)


def _check_alpha(alpha: Any, *operands: Any) -> None:
    d = common_dtype(operands)
    if isinstance(alpha, bool) and d.category != dtypes.BOOL:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, complex, np.inexact)) and d.category < dtypes.FLOATING:
        raise RuntimeError(texts.ALPHA_NOT_INTEGRAL)
    if isinstance(alpha, (complex, np.complexfloating)) and d.category < dtypes.COMPLEX:
        raise RuntimeError(texts.ALPHA_NOT_REAL)


_SUM = (
    "(Tensor+ input, Tensor+ other, *, Number alpha = 1, Tensor out = None)",
    "~(Tensor+ input, Number alpha, Tensor+ other, *, Tensor out = None)",
)


@op("add", *_SUM, kernel=ADD, inplace=True, form=".Tensor", refusal=COMPUTED_FIRST)
def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input + alpha * other, elementwise.

    Arguments:
        input, other: tensors or numbers; they broadcast.
        alpha: the factor of other.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.add(torch.tensor([1.0, 2.0]), torch.tensor([10.0, 20.0]), alpha=2)
        tensor([21., 42.])
    """
    return _scaled(_add, ADD_SCALED, input, other, alpha)


@op(
    "subtract",
    "(Tensor+ input, Tensor+ other, *, Number alpha = 1, Tensor out = None)",
    "(Tensor input, Number other, Number alpha = 1)",
    kernel=SUB,
    inplace=True,
    out_name="sub",
    form=".Tensor",
)
@op("sub", *_SUM, kernel=SUB, inplace=True, form=".Tensor", refusal=ARITHMETIC)
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """input - alpha * other, elementwise.

    Arguments:
        input, other: tensors or numbers; they broadcast.
        alpha: the factor of other.
        out: where to write the result.
    """
    _check_subtraction(input, other)
    return _scaled(_subtract, SUB_SCALED, input, other, alpha)


@op(
    "rsub",
    "(Tensor input, Tensor other, *, Number alpha = 1)",
    "(Tensor input, Number other, Number alpha = 1)",
    method=False,
    records=(RSUB, RSUB_NUMBER_SCALED),
)
def rsub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """other - alpha * input, elementwise."""
    _check_subtraction(input, other)
    if isinstance(other, Tensor):
        check_broadcast([other._value, input._value])
        _check_alpha(alpha, input, other)
        found = RSUB(input, other, alpha=alpha)
        if type(found._value) is np.ndarray and found._value.ndim > 1:  # it is other - input
            found._value = laid_out(found._value, [raw(other), raw(input)])
        return found
    _check_alpha(alpha, input, other)
    if alpha == 1:
        return _subtract_from_number(input, other)
    return RSUB_NUMBER_SCALED(input, other, alpha=alpha)


def _scaled(plain: Callable, scaled: Operation, x: Any, y: Any, alpha: Any) -> Any:
    if alpha == 1 and type(alpha) is int:
        return plain(x, y)
    _check_alpha(alpha, x, y)
    if common_dtype((x, y)).category == dtypes.BOOL:
        alpha = bool(alpha)
    return scaled(x, y, alpha=alpha)


def _minus(x: Any, y: Any) -> Any:
    if (type(y) is Tensor and y._value.dtype.kind == "b") or x._value.dtype.kind == "b" or type(y) is bool:
        _check_subtraction(x, y)
    return _subtract(x, y)


def _minus_reflected(x: Any, y: Any) -> Any:
    if x._value.dtype.kind == "b" or type(y) is bool:
        _check_subtraction(x, y)
    return _subtract_from_number(x, y)


operator("add", _add, reflected=_add, inplace=Tensor.add_)
operator("sub", _minus, reflected=_minus_reflected, inplace=Tensor.sub_)


# Products.

MUL = Operation(core.multiply, "MulBackward0", promote="common")
_PRODUCT = ("(Tensor+ input, Tensor+ other, *, Tensor out = None)", "(Tensor input, Number other)")
_multiply = op(
    "mul",
    _PRODUCT[0],
    inplace=True,
    names={"multiply": _PRODUCT},
    form=".Tensor",
    refusal=ARITHMETIC,
    doc="input * other, elementwise.",
)(MUL)
operator("mul", _multiply, reflected=_multiply, inplace=Tensor.mul_)


# Quotients. Integers divide to floating numbers, unless a rounding mode says otherwise.

DIV = Operation(conventions.divide, "DivBackward0", promote="float", again=True)
_divide = binary_function(DIV)


def _check_divisor(x: Any, y: Any) -> None:
    """Integers have no infinity to give; of no elements none is divided."""
    if _kind(x) in "iu" and _kind(y) in "iu" and getattr(x, "size", True) and not np.all(_plain_values(y)):
        raise RuntimeError("ZeroDivisionError")


def _kind(x: Any) -> str:
    return x.dtype.kind if hasattr(x, "dtype") else "i" if isinstance(x, int) else "f"


def _plain_values(x: Any) -> Any:
    """The values underneath the tracers of a transform."""
    while not isinstance(x, (np.ndarray, np.generic, *NUMBERS)):
        x = x._value
    return x


def _floor_quotient(x: Any, y: Any) -> Any:
    """The quotient rounded down. It belongs to the remainder: x / y may be rounded to the next integer."""
    _check_divisor(x, y)
    if _kind(x) in "iu":
        return np.floor_divide(x, y)
    quotient = np.floor_divide(x, y)
    return np.where(y == 0, x / y, quotient)


def _truncated_quotient(x: Any, y: Any) -> Any:
    _check_divisor(x, y)
    if _kind(x) in "iu":
        quotient = np.floor_divide(x, y)
        return quotient + ((quotient < 0) & (quotient * y != x))
    return np.trunc(x / y)


FLOOR_DIVIDE = Operation(
    Undifferentiable(_floor_quotient, "aten::floor_divide"),
    "NotImplemented",
    promote="common",
    blind=True,
    only_linked=True,
)
FLOOR_DIVIDE_, FLOOR_DIVIDE_NUMBER_ = (
    Operation(
        Undifferentiable(_floor_quotient, "aten::floor_divide_"),
        "NotImplemented",
        promote="common",
        edges=edges,
        blind=True,
        only_linked=True,
    )
    for edges in (None, 1)
)
FLOOR_DIVIDE_NUMBER = Operation(
    Undifferentiable(_floor_quotient, "aten::floor_divide"),
    "NotImplemented",
    promote="common",
    edges=1,
    blind=True,
    only_linked=True,
)


def _rounded_down(x: Any, y: Any, *, rounding_mode: str) -> Any:
    return _floor_quotient(x, y)


def _rounded_to_zero(x: Any, y: Any, *, rounding_mode: str) -> Any:
    return _truncated_quotient(x, y)


DIV_UNROUNDED = Operation(conventions.divide, "DivBackward2", promote="float")
_DIVIDES: dict[tuple[bool, ...], tuple[int, ...]] = {(True, False): (1,), (False, True): (0, 1), (True, True): (0, 1)}
DIV_FLOOR = Operation(_rounded_down, "DivBackward2", promote="common", zero=True, saves=_DIVIDES)
DIV_TRUNC = Operation(_rounded_to_zero, "DivBackward2", promote="common", zero=True, saves=_DIVIDES)


_QUOTIENT = (
    "(Tensor+ input, Tensor+ other, *, Tensor out = None)",
    "(Tensor+ input, Tensor+ other, *, str? rounding_mode, Tensor out = None)",
    "(Tensor input, Number other, *, str? rounding_mode)",
)
_DIVIDE = (
    "(Tensor+ input, Tensor+ other, *, Tensor out = None)",
    "(Tensor+ input, Tensor+ other, *, str? rounding_mode, Tensor out = None)",
    "(Tensor input, Number other)",
    "(Tensor input, Number other, *, str? rounding_mode)",
)


def _quotient(named: dict[str, Any]) -> Operation:
    """Rounded quotients of integers are integers."""
    return DIV if named.get("rounding_mode") is None else DIV_FLOOR


def _quotient_form(args: tuple, named: dict[str, Any]) -> str:
    return ".Tensor" if named.get("rounding_mode") is None else ".Tensor_mode"


@op(
    "div",
    *_QUOTIENT,
    kernel=_quotient,
    records=(DIV, DIV_UNROUNDED, DIV_FLOOR, DIV_TRUNC),
    inplace=True,
    names={"divide": _DIVIDE},
    form=_quotient_form,
    refusal=ARITHMETIC,
)
def div(input: Any, other: Any, *, rounding_mode: Any = UNSET) -> Any:
    """input / other, elementwise.

    Arguments:
        input, other: tensors or numbers; they broadcast. Integers become floating numbers.
        rounding_mode: "trunc" rounds to zero, "floor" down, where integers stay integers; None: it is not rounded.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
        tensor([ 3, -4])
    """
    if rounding_mode is UNSET:
        return _divide(input, other)
    if rounding_mode is None:
        return DIV_UNROUNDED(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(texts.UNKNOWN_ROUNDING_MODE.format(mode=rounding_mode))
    rounded, kernel = (DIV_FLOOR, "div_floor_cpu") if rounding_mode == "floor" else (DIV_TRUNC, "div_trunc_cpu")
    check_kinds(kernel, common_dtype((input, other)), "bc", input, other)
    return rounded(input, other, rounding_mode=rounding_mode)


@op("true_divide", *_PRODUCT, kernel=DIV, inplace=True, out_name="div", form=".Tensor", refusal=ARITHMETIC)
def true_divide(input: Any, other: Any) -> Any:
    """input / other, elementwise, without rounding."""
    return _divide(input, other)


def _floor_divide_in_place(x: Any, y: Any) -> Any:
    check_kinds("div_floor_cpu", common_dtype((x, y)), "bc", x, y)
    return (FLOOR_DIVIDE_ if isinstance(y, Tensor) else FLOOR_DIVIDE_NUMBER_)(x, y)


@op("floor_divide", *_PRODUCT, kernel=FLOOR_DIVIDE, inplace=_floor_divide_in_place, form=".Tensor")
def floor_divide(x: Any, y: Any) -> Any:
    """input / other, elementwise, rounded down."""
    if not isinstance(x, Tensor) and isinstance(y, Tensor):
        return _floor_divide_reflected(y, x)
    check_kinds("div_floor_cpu", common_dtype((x, y)), "bc", x, y)
    return (FLOOR_DIVIDE if isinstance(y, Tensor) else FLOOR_DIVIDE_NUMBER)(x, y)


def _floor_divide_reflected(x: Any, y: Any) -> Any:
    check_kinds("div_floor_cpu", common_dtype((x, y)), "bc", x, y)
    return FLOOR_DIVIDE_REFLECTED(x, y)


def _floor_quotient_reflected(x: Any, y: Any) -> Any:
    return _floor_quotient(y, x)


FLOOR_DIVIDE_REFLECTED = Operation(
    Undifferentiable(_floor_quotient_reflected, "aten::floor_divide"),
    "NotImplemented",
    promote="common",
    edges=1,
)


RECIPROCAL = Operation(core.reciprocal, "ReciprocalBackward0", operands=("self",), promote="float")
reciprocal = op("reciprocal", UNARY, inplace=True, inplace_function=True, doc="1 / input, elementwise.")(RECIPROCAL)


@member_of(Tensor, "__rdiv__")
@member_of(Tensor, "__rtruediv__")
def _divide_reflected(self: Any, other: Any) -> Any:
    return reciprocal(self) * other


operator("truediv", _divide, inplace=Tensor.div_)
operator("div", _divide, inplace=Tensor.div_)
operator("floordiv", floor_divide, reflected=_floor_divide_reflected, inplace=Tensor.floor_divide_)


# Remainders.


def _remainder_of_integers(x: Any, y: Any) -> Any:
    _check_divisor(x, y)
    return np.remainder(x, y)


def _fmod_of_integers(x: Any, y: Any) -> Any:
    _check_divisor(x, y)
    return np.fmod(x, y)


def _remainder_reflected(x: Any, y: Any) -> Any:
    _check_divisor(y, x)
    return conventions.remainder(y, x) if _kind(x) not in "iu" or _kind(y) not in "iu" else np.remainder(y, x)


REMAINDER = Operation(conventions.remainder, "RemainderBackward1", promote="common", again=True)
REMAINDER_NUMBER = Operation(conventions.remainder, "RemainderBackward0", promote="common", edges=1)
REMAINDER_INTEGERS = Operation(_remainder_of_integers, "RemainderBackward1", promote="common")
REMAINDER_REFLECTED = Operation(
    Undifferentiable(_remainder_reflected, "aten::remainder"),
    "NotImplemented",
    promote="common",
    edges=1,
)
FMOD = Operation(conventions.fmod, "FmodBackward1", promote="common", again=True)
FMOD_NUMBER = Operation(conventions.fmod, "FmodBackward0", promote="common", edges=1)
FMOD_INTEGERS = Operation(_fmod_of_integers, "FmodBackward1", promote="common")


def _remaining(kernel: str, tensors: Operation, number: Operation, integers: Operation) -> Callable:
    def call(x: Any, y: Any) -> Any:
        d = common_dtype((x, y))
        if d.category < dtypes.FLOATING:
            check_kinds(kernel, d, "b", x, y)
            return integers(x, y)
        check_kinds(kernel, d, "c", x, y)
        return (tensors if isinstance(y, Tensor) else number)(x, y)

    return call


def _modulo_reflected(x: Any, y: Any) -> Any:
    check_kinds("remainder_cpu", common_dtype((x, y)), "bc", x, y)
    return REMAINDER_REFLECTED(x, y)


_modulo = _remaining("remainder_cpu", REMAINDER, REMAINDER_NUMBER, REMAINDER_INTEGERS)


@op("remainder", *EITHER_NUMBER_SHORT, kernel=REMAINDER, records=REMAINDER_NUMBER, inplace=True, form=".Tensor|.Scalar")
def remainder(x: Any, y: Any) -> Any:
    """What input / other rounded down leaves, elementwise: of the sign of other."""
    return _modulo(x, y) if isinstance(x, Tensor) else _modulo_reflected(y, x)


fmod = op(
    "fmod",
    *WITH_NUMBER,
    kernel=FMOD,
    records=FMOD_NUMBER,
    inplace=True,
    form=".Tensor|.Scalar",
    doc="What input / other rounded to zero leaves, elementwise: of the sign of input.",
)(_remaining("fmod_cpu", FMOD, FMOD_NUMBER, FMOD_INTEGERS))
operator("mod", _modulo, reflected=_modulo_reflected, inplace=Tensor.remainder_)


# Signs.


def _check_negation(x: Any) -> None:
    if x._value.dtype.kind == "b":
        raise RuntimeError(texts.NEGATION_OF_BOOL)


NEG = Operation(
    core.negative,
    "NegBackward0",
    operands=("self",),
    promote="common",
    result="own",
    before=_check_negation,
    again=True,
)
ABS = Operation(conventions.absolute, "AbsBackward0", operands=("self",), result="size")
_negate, _magnitude = unary_function(NEG), unary_function(ABS)


@op("neg", UNARY, kernel=NEG, inplace=True, inplace_function=True, names=("negative",))
def neg(x: Any) -> Any:
    """-input, elementwise."""
    _check_negation(x)
    return _negate(x)


def _absolute_in_place(x: Any) -> Any:
    if x._value.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return absolute(x)


@op("abs", UNARY, kernel=ABS, inplace=_absolute_in_place, inplace_function=("abs",), names=("absolute",))
def absolute(x: Any) -> Any:
    """The absolute value, elementwise."""
    if x._value.dtype.kind == "b":
        raise not_implemented("abs_cpu", dtypes.bool_)
    if not x._inference:
        return _magnitude(x)
    check_not_recorded("abs", x)  # torch writes into the result
    return counted(_magnitude(x), 1, x)


@op("positive", "(Tensor input)")
def positive(input: Any) -> Any:
    """input itself; an error for booleans."""
    if input._value.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


add_member(Tensor, "__neg__", neg)
add_member(Tensor, "__abs__", absolute)
add_member(Tensor, "__pos__", positive)
