"""Powers: of tensors and numbers, to tensors and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.torch.base import dtypes
from funcgrad.torch.declare.checks import check_kinds
from funcgrad.torch.declare.kernels import check_not_recorded, into
from funcgrad.torch.declare.op import EITHER_NUMBER, UNARY, op
from funcgrad.torch.declare.operators import operator
from funcgrad.torch.declare.writing import counted
from funcgrad.torch.primitives import conventions
from funcgrad.torch.tensor.fast import binary_function
from funcgrad.torch.tensor.inplace import check_inplace
from funcgrad.torch.tensor.operation import Operation
from funcgrad.torch.tensor.promotion import common_dtype
from funcgrad.torch.tensor.tensor import Tensor
from funcgrad.torch.tensor.values import raw
from funcgrad.torch.texts import elementwise as texts

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
    check_kinds("pow", d, "b", x, y)
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


def _spoiled(found: Any, x: Any, y: Any) -> Any:
    """x ** y, where torch has a nan: 0 to the power of 0 of complex numbers, which it works out with a logarithm."""
    value = found._value
    if value.dtype.kind == "c" and type(value) is np.ndarray:
        nothing = (raw(x) == 0) & (raw(y) == 0)
        if np.any(nothing):
            value[np.broadcast_to(nothing, value.shape)] = complex(np.nan, np.nan)
    return found


def _power(x: Any, y: Any) -> Any:
    kind = x._value.dtype.kind
    if type(y) is Tensor or isinstance(y, Tensor):
        if kind in "iub" and y._value.dtype.kind in "iub":
            _check_power(x, y)
            return INTEGER_POW(x, y)
        return _spoiled(_pow_tensor(x, y), x, y)
    if kind in "iub":
        _check_power(x, y)
    found = _pow_number(x, y)
    return counted(found, 1, x) if x._inference and (y == 0 or y == 1) else found


def _power_reflected(x: Any, y: Any) -> Any:
    """y ** x for a number y."""
    if x._inference:
        check_not_recorded("pow", x)  # torch writes into the result
    if x._value.dtype.kind in "iub" and isinstance(y, int):
        _check_power(y, x)
        found = INTEGER_POW(y, x)
    else:
        found = _spoiled(_pow_of_number(x, y), y, x)
    if type(found._value) is np.ndarray and not found._value.flags.c_contiguous:  # whatever the strides of x
        found._value = np.ascontiguousarray(found._value)
    return counted(found, 1, x) if x._inference else found


_POWER = tuple([t.replace("other", "exponent") for t in EITHER_NUMBER])


@op("pow", *_POWER, kernel=POW, records=(POW_NUMBER, POW_OF_NUMBER), inplace=True, form=".Tensor|.Scalar")
def pow(input: Any, exponent: Any) -> Any:
    """input to the power of exponent, elementwise; one of them may be a number.

    Example:
        >>> from funcgrad import torch
        >>> torch.pow(torch.tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])
    """
    return _power(input, exponent) if isinstance(input, Tensor) else _power_reflected(exponent, input)


operator("pow", _power, reflected=_power_reflected, inplace=Tensor.pow_)


def _wide(*operands: Any) -> dtypes.dtype:
    return dtypes.complex128 if common_dtype(operands).category == dtypes.COMPLEX else dtypes.float64


def _into_wide(name: str, op: Operation, operands: tuple, out: Any, compute: Callable) -> Any:
    d = _wide(*operands)
    if out.dtype is not d:
        raise RuntimeError(texts.FLOAT_POWER_OUT.format(have=out.dtype.title, wanted=d.title))
    return into("pow", op, operands, out, compute)


@op("float_power", *_POWER, kernel=POW, into=_into_wide)
def float_power(input: Any, exponent: Any) -> Any:
    """input to the power of exponent, elementwise, in double precision."""
    d = _wide(input, exponent)
    x, y = (
        a.to(d) if isinstance(a, Tensor) else complex(a) if d is dtypes.complex128 else float(a)
        for a in (input, exponent)
    )
    return pow(x, y)


@op("Tensor.float_power_", *_POWER, form=".Tensor|.Scalar")
def _float_power_(self: Any, exponent: Any) -> Any:
    """As float_power, writing the result into this tensor, which is of double precision."""
    d = _wide(self, exponent)
    if self.dtype is not d:
        raise RuntimeError(texts.FLOAT_POWER_BASE.format(have=self.dtype.title, wanted=d.title))
    check_inplace(self, exponent, name="float_power_")
    return self.pow_(exponent.to(d) if isinstance(exponent, Tensor) else exponent)


@op("square", UNARY, kernel=POW_NUMBER, inplace=True, inplace_function=True, out_name="pow")
def square(x: Any) -> Any:
    """input * input, elementwise."""
    return _power(x, 2)  # as which it is recorded
