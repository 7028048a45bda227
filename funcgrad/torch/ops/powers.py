"""Powers: of tensors and numbers, to tensors and numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from funcgrad.ops import conventions
from funcgrad.torch import dtypes
from funcgrad.torch.declare import check_overloads, install, operator, unary, write_out
from funcgrad.torch.operation import NUMBERS, Operation, binary_function, common_dtype
from funcgrad.torch.ops.checks import not_implemented
from funcgrad.torch.tensor import Tensor

POW_NUMBER = Operation(
    conventions.power_number, "PowBackward0", operands=("self", "exponent"), promote="common", edges=1
)
POW = Operation(conventions.power, "PowBackward1", operands=("self", "exponent"), promote="common")
POW_OF_NUMBER = Operation(
    conventions.power_of_number, "PowBackward2", operands=("exponent", "self"), promote="common", edges=1
)
_pow_number = binary_function(POW_NUMBER)
_pow_tensor = binary_function(POW)
_pow_of_number = binary_function(POW_OF_NUMBER)


def _check_power(x: Any, y: Any) -> None:
    d = common_dtype((x, y))
    if d.category == dtypes.BOOL:
        raise not_implemented("pow", d)
    if d.category == dtypes.INTEGER and isinstance(y, int) and y < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")


def _integer_power(x: Any, y: Any) -> Any:
    """Integers to integer powers, wrapping around; a negative power leaves 1 and -1 what they are, and 0 of others."""
    x, y = np.broadcast_arrays(x, y)
    negative = y < 0
    out = np.power(x, np.where(negative, 0, y))
    if negative.any():
        odd = np.where(y % 2 == 0, 1, -1).astype(x.dtype)
        out = np.where(negative, np.where(x == 1, 1, np.where(x == -1, odd, 0)), out).astype(x.dtype)
    return out


INTEGER_POW = Operation(_integer_power, "PowBackward1", promote="common")


def _power(x: Any, y: Any) -> Any:
    kind = x._value.dtype.kind
    if type(y) is Tensor or isinstance(y, Tensor):
        if kind in "iub" and y._value.dtype.kind in "iub":
            _check_power(x, y)
            return INTEGER_POW(x, y)
        return _pow_tensor(x, y)
    if kind in "iub":
        _check_power(x, y)
    return _pow_number(x, y)


def _power_reflected(x: Any, y: Any) -> Any:
    """y ** x for a number y."""
    if x._value.dtype.kind in "iub" and isinstance(y, int):
        _check_power(y, x)
        return INTEGER_POW(y, x)
    return _pow_of_number(x, y)


_POW_SIGNATURES = (
    "(Tensor input, Tensor exponent, *, Tensor out = None)",
    "(Number self, Tensor exponent, *, Tensor out = None)",
    "(Tensor input, Number exponent, *, Tensor out = None)",
)


def pow(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input to the power of exponent, elementwise; one of them may be a number.

    Example:
        >>> from funcgrad import torch
        >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])
    """
    if isinstance(input, Tensor):
        if not isinstance(exponent, (Tensor, *NUMBERS)):
            check_overloads("pow", _POW_SIGNATURES, input, exponent)
        found = _power(input, exponent)
    else:
        if not isinstance(exponent, Tensor) or not isinstance(input, NUMBERS):
            check_overloads("pow", _POW_SIGNATURES, input, exponent)
        found = _power_reflected(exponent, input)
    return found if out is None else write_out("pow", found, out, (input, exponent))


install("pow", pow, pow)
operator("pow", _power, reflected=_power_reflected, inplace=Tensor.pow_)


def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """input to the power of exponent, elementwise, in double precision."""
    d = common_dtype((input, exponent))
    wide = dtypes.complex128 if d.category == dtypes.COMPLEX else dtypes.float64
    x, y = (a.to(wide) if isinstance(a, Tensor) else (complex if d.category == dtypes.COMPLEX else float)(a) for a in (input, exponent))  # fmt: skip  # noqa: E501
    return pow(x, y, out=out)


def float_power_(self: Any, exponent: Any) -> Any:
    """As float_power, writing the result into this tensor, which is of double precision."""
    d = common_dtype((self, exponent))
    wide = dtypes.complex128 if d.category == dtypes.COMPLEX else dtypes.float64
    if self.dtype is not wide:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.title} but the operation's result requires dtype "
            f"{wide.title}"
        )
    return self.pow_(exponent)


install("float_power", float_power, float_power, inplace=False)
Tensor.float_power_ = float_power_


def _square(x: Any) -> Any:
    """A square is recorded as a power."""
    return _power(x, 2)


square = unary(POW_NUMBER, "square", "input * input, elementwise.", call=_square)
