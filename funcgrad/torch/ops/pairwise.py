"""Functions of two and more numbers, elementwise: extremes, bounds, angles, interpolation, products with a sum."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from funcgrad.ops import conventions, fused
from funcgrad.ops import elementwise as core
from funcgrad.torch import dtypes
from funcgrad.torch.arguments import type_name
from funcgrad.torch.declare import binary, check_tensor, exports, install, write_out
from funcgrad.torch.dtypes import of_numpy
from funcgrad.torch.operation import (
    NUMBERS,
    Operation,
    binary_function,
    cast,
    check_broadcast,
    common_dtype,
    raw,
    record,
)
from funcgrad.torch.ops.checks import Undifferentiable, check_kinds
from funcgrad.torch.tensor import Tensor


def _pair(op: Operation, name: str, doc: str, *, kinds: str = "", kernel: str = "", text: str = "", **options: Any) -> Callable:  # fmt: skip  # noqa: E501
    """Declare a function of two tensors that refuses some kinds of dtype."""
    fast = binary_function(op)
    kernel = kernel or f"{name}_cpu"

    def call(x: Any, y: Any) -> Any:
        if x._value.dtype.kind in kinds or y._value.dtype.kind in kinds:
            d = common_dtype((x, y))
            if text and d.category == dtypes.COMPLEX:
                raise RuntimeError(text)
            check_kinds(kernel, d, kinds)
        return fast(x, y)

    options.setdefault("number", (False, False))
    return binary(op, name, doc, call=call if kinds else fast, **options)


# Extremes.


def _extreme(primitive: Any, name: str, doc: str) -> Callable:
    op = Operation(primitive, f"{name.capitalize()}Backward0", promote="common")
    return _pair(op, name, doc, kinds="c", text=f"{name} not implemented for complex tensors.", inplace=False)


maximum = _extreme(conventions.maximum, "maximum", "The larger of both elements; nan if one is nan.")
minimum = _extreme(conventions.minimum, "minimum", "The smaller of both elements; nan if one is nan.")
_extreme(conventions.fmax, "fmax", "The larger of both elements, where a number counts more than nan.")
_extreme(conventions.fmin, "fmin", "The smaller of both elements, where a number counts more than nan.")


# Bounds.

CLAMP = Operation(conventions.clamp, "ClampBackward1", operands=("self",))
CLAMP_MIN = Operation(conventions.clamp, "ClampMinBackward0", operands=("self",))
CLAMP_MAX = Operation(conventions.clamp, "ClampMaxBackward0", operands=("self",))


def _within(x: Any, min: Any, max: Any) -> Any:
    """x, or the bound that it exceeds; max if the bounds contradict each other, nan if one is nan."""
    if min is None:
        return _at_most(x, max)
    if max is None:
        return _at_least(x, min)
    if x.dtype.kind in "iub":
        return np.minimum(np.maximum(x, min), max)
    bound = np.where((max < min) | (x > max), max, min)
    return _but_nan(np.where((x >= min) & (x <= max), x, bound), x, min, max)


def _at_least(x: Any, min: Any) -> Any:
    return np.maximum(x, min) if x.dtype.kind in "iub" else _but_nan(np.where(x >= min, x, min), x, min)


def _at_most(x: Any, max: Any) -> Any:
    return np.minimum(x, max) if x.dtype.kind in "iub" else _but_nan(np.where(x <= max, x, max), x, max)


def _but_nan(out: Any, *operands: Any) -> Any:
    none = np.isnan(operands[0])
    for o in operands[1:]:
        none = none | np.isnan(o)
    return np.where(none, np.nan, out)


CLAMP_TENSORS = Operation(_within, "ClampBackward0", operands=("self", "min", "max"))
CLAMP_MIN_TENSOR = Operation(_at_least, "ClampMinBackward1", operands=("self", "min"), promote="common")
CLAMP_MAX_TENSOR = Operation(_at_most, "ClampMaxBackward1", operands=("self", "max"), promote="common")


def _bounded(op: Operation, x: Any, min: Any, max: Any) -> Any:
    """x between two numbers, in the dtype that it has in common with them."""
    value = raw(x)
    if (
        value.dtype.kind != "f"
        or type(min) not in (float, int, type(None))
        or type(max) not in (float, int, type(None))
    ):
        d = common_dtype([a for a in (x, min, max) if a is not None])
        if d.category == dtypes.COMPLEX:
            raise NotImplementedError("clamp is not supported for complex types")
        check_kinds("clamp_scalar_cpu", d, "b")
        value = cast(value, d.numpy)
        min, max = (None if b is None else np.asarray(b).astype(d.numpy)[()] for b in (min, max))
    return record(op, (x,), [value], {"min": min, "max": max})


_CLAMP_SIGNATURES = """
 * (Tensor input, Tensor min = None, Tensor max = None, *, Tensor out = None)
 * (Tensor input, Number min = None, Number max = None, *, Tensor out = None)
"""
_CLAMP_METHOD = """
 * (Tensor min = None, Tensor max = None)
 * (Number min = None, Number max = None)
"""


def clamp(input: Any, min: Any = None, max: Any = None, *, out: Any = None) -> Any:
    """Elements below min become min, and those above max become max.

    Arguments:
        input: a tensor.
        min, max: the bounds, both numbers or both tensors that broadcast with input; one may be left out.
        out: where to write the result.

    Example:
        >>> from funcgrad import torch
        >>> torch.clamp(torch.tensor([-1.0, 0.5, 2.0]), 0, 1)
        tensor([0.0000, 0.5000, 1.0000])
    """
    check_tensor("clamp", input)
    found = _clamp(input, min, max, _CLAMP_SIGNATURES, (input,))
    return found if out is None else write_out("clamp", found, out)


def _clamp_method(self: Any, min: Any = None, max: Any = None) -> Any:
    """Elements below min become min, and those above max become max."""
    return _clamp(self, min, max, _CLAMP_METHOD, ())


def _clamp(x: Any, min: Any, max: Any, signatures: str, first: tuple) -> Any:
    bounds = [b for b in (min, max) if b is not None]
    if not bounds:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if all(isinstance(b, Tensor) for b in bounds):
        d = common_dtype((x, *bounds))
        if d.category == dtypes.COMPLEX:
            raise NotImplementedError("clamp is not supported for complex types")
        values = [None if a is None else cast(raw(a), d.numpy) for a in (x, min, max)]
        check_broadcast(values)
        return record(CLAMP_TENSORS, (x, min, max), values, {})
    if not all(isinstance(b, NUMBERS) for b in bounds):
        raise TypeError(
            f"clamp() received an invalid combination of arguments - got "
            f"({', '.join(map(type_name, (*first, *bounds)))}), but expected one of:{signatures}"
        )
    return _bounded(CLAMP, x, min, max)


def clamp_min(input: Any, min: Any, *, out: Any = None) -> Any:
    """Elements below min, a number or a tensor, become min."""
    check_tensor("clamp_min", input)
    found = CLAMP_MIN_TENSOR(input, min) if isinstance(min, Tensor) else _bounded(CLAMP_MIN, input, min, None)
    return found if out is None else write_out("clamp_min", found, out)


def clamp_max(input: Any, max: Any, *, out: Any = None) -> Any:
    """Elements above max, a number or a tensor, become max."""
    check_tensor("clamp_max", input)
    found = CLAMP_MAX_TENSOR(input, max) if isinstance(max, Tensor) else _bounded(CLAMP_MAX, input, None, max)
    return found if out is None else write_out("clamp_max", found, out)


install("clamp", clamp, _clamp_method, names=("clip",))
install("clamp_min", clamp_min, clamp_min)
install("clamp_max", clamp_max, clamp_max)
for _name in ("clamp", "clip", "clamp_min", "clamp_max"):
    exports[_name + "_"] = getattr(Tensor, _name + "_")


# Angles, lengths, logarithms of sums.

_pair(
    Operation(conventions.arctan2, "Atan2Backward0", promote="float"),
    "atan2",
    "The angle of the point (other, input), between -pi and pi.",
    kinds="c",
    names=("arctan2",),
)
_pair(
    Operation(conventions.hypot, "HypotBackward0", promote="common"),
    "hypot",
    "The square root of input² + other², without overflow.",
    kinds="biuc",
)
_pair(
    Operation(core.logaddexp, "LogaddexpBackward0", promote="common"),
    "logaddexp",
    "log(exp(input) + exp(other)), without overflow.",
    kinds="biu",
    inplace=False,
)
_pair(
    Operation(core.logaddexp2, "Logaddexp2Backward0", promote="common"),
    "logaddexp2",
    "log2(2**input + 2**other), without overflow.",
    kinds="biuc",
    inplace=False,
)
_pair(
    Operation(conventions.nextafter, "NextafterBackward0", promote="common"),
    "nextafter",
    "The next floating number after input in the direction of other.",
    kinds="biuc",
)

COPYSIGN = Operation(conventions.copysign, "CopysignBackward0", promote="float")
COPYSIGN_NUMBER = Operation(conventions.copysign, "CopysignBackward1", promote="float", edges=1)


def _copysign(x: Any, y: Any) -> Any:
    check_kinds("copysign_cpu", common_dtype((x, y)), "c")
    return (COPYSIGN if isinstance(y, Tensor) else COPYSIGN_NUMBER)(x, y)


binary(COPYSIGN, "copysign", "The size of input with the sign of other.", call=_copysign, number=(False, True))


def _step(x: Any, y: Any) -> Any:
    """0 for negative x, 1 for positive x, y for 0, and nan for nan."""
    return np.where(x == 0, y, x > 0).astype(x.dtype)


HEAVISIDE = Operation(
    Undifferentiable(_step, "derivative for aten::heaviside is not implemented"),
    "NotImplemented",
    operands=("self", "values"),
)


def _heaviside(x: Any, y: Any) -> Any:
    if x._value.dtype.kind == "c" or y._value.dtype.kind == "c":
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    if x._value.dtype != y._value.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return HEAVISIDE(x, y)


binary(
    HEAVISIDE,
    "heaviside",
    "0 where input is negative, 1 where it is positive, the element of values where it is zero.",
    call=_heaviside,
    number=(False, False),
    word="values",
)


# Powers of two.


LDEXP = Operation(conventions.ldexp_real, "LdexpBackward0", promote="float")
LDEXP_INTEGERS = Operation(conventions.ldexp, "LdexpBackward0")


def _ldexp(x: Any, y: Any) -> Any:
    if y._value.dtype.kind == "b" and x._value.dtype.kind == "f":
        check_kinds("ldexp_cpu_exp", y.dtype, "b")
    if y._value.dtype.kind in "iu" and x._value.dtype.kind == "f":
        return LDEXP_INTEGERS(x, y)
    return LDEXP(x, y)


binary(LDEXP, "ldexp", "input * 2**other, elementwise.", call=_ldexp, number=(False, False))
exports["ldexp_"] = Tensor.ldexp_

FREXP = Operation(core.frexp, "FrexpBackward0", operands=("self",))


def frexp(input: Any, *, out: Any = None) -> Any:
    """The mantissa, between 0.5 and 1 in size, and the exponent, such that input = mantissa * 2**exponent."""
    from funcgrad.torch import return_types

    check_tensor("frexp", input)
    if input._value.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    found = return_types.frexp(FREXP(input))
    return found if out is None else write_out("frexp", found, out)


install("frexp", frexp, frexp, inplace=False)


# Interpolation.

LERP = Operation(fused.lerp, "LerpBackward0", operands=("self", "end"))
LERP_TENSOR = Operation(fused.lerp_by, "LerpBackward1", operands=("self", "end", "weight"))


def lerp(input: Any, end: Any, weight: Any, *, out: Any = None) -> Any:
    """input + weight * (end - input), elementwise.

    Arguments:
        input, end: where the way begins and ends, tensors of one dtype.
        weight: how far to go, a number or a tensor.
        out: where to write the result.
    """
    check_tensor("lerp", input)
    check_tensor("lerp", end, "end", 2)
    for word, t in (("end", end), ("weight", weight)):
        if isinstance(t, Tensor) and t.dtype is not input.dtype and not (word == "weight" and t._value.ndim == 0):
            raise RuntimeError(f"expected dtype {_word(input)} for `{word}` but got dtype {_word(t)}")
    check_kinds("lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar", input.dtype, "iub")
    if isinstance(weight, Tensor):
        values = [cast(raw(t), input._value.dtype) for t in (input, end, weight)]
        check_broadcast(values)
        found = record(LERP_TENSOR, (input, end, weight), values, {})
    else:
        values = [raw(input), raw(end)]
        check_broadcast(values)
        found = record(LERP, (input, end), values, {"weight": weight})
    return found if out is None else write_out("lerp", found, out)


_WORDS = {"Bool": "bool", "Byte": "unsigned char", "Char": "signed char", "Short": "short int", "Int": "int", "Long": "long int", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Float": "float", "Double": "double", "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>"}  # fmt: skip  # noqa: E501


def _word(t: Any) -> str:
    return _WORDS[of_numpy(t._value.dtype).title]


install("lerp", lerp, lerp)


# A product or a quotient, added.


ADDCMUL = Operation(fused.addcmul, "AddcmulBackward0", operands=("self", "tensor1", "tensor2"), promote="common")
ADDCDIV = Operation(fused.addcdiv, "AddcdivBackward0", operands=("self", "tensor1", "tensor2"), promote="common")


def addcmul(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1, out: Any = None) -> Any:
    """input + value * tensor1 * tensor2, elementwise.

    Arguments:
        input, tensor1, tensor2: tensors that broadcast.
        value: a number.
        out: where to write the result.
    """
    for k, (word, t) in enumerate((("input", input), ("tensor1", tensor1), ("tensor2", tensor2)), 1):
        check_tensor("addcmul", t, word, k)
    d = common_dtype((input, tensor1, tensor2))
    found = ADDCMUL(input, tensor1, tensor2, value=int(value) if d.category < dtypes.FLOATING else value)
    return found if out is None else write_out("addcmul", found, out)


def addcdiv(input: Any, tensor1: Any, tensor2: Any, *, value: Any = 1, out: Any = None) -> Any:
    """input + value * tensor1 / tensor2, elementwise.

    Arguments:
        input, tensor1, tensor2: tensors that broadcast.
        value: a number.
        out: where to write the result.
    """
    for k, (word, t) in enumerate((("input", input), ("tensor1", tensor1), ("tensor2", tensor2)), 1):
        check_tensor("addcdiv", t, word, k)
    if common_dtype((tensor1, tensor2)).category < dtypes.FLOATING:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value "
            "* torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
            "tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value "
            "* tensor1 / tensor2), for all dtypes."
        )
    found = ADDCDIV(input, tensor1, tensor2, value=value)
    return found if out is None else write_out("addcdiv", found, out)


install("addcmul", addcmul, addcmul)
install("addcdiv", addcdiv, addcdiv)
